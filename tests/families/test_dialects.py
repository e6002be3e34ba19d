"""Drafters of every family in every dialect and quantisation, with the ledger that each must give.

A fixture lists its tensors one kind a row: name ("#" for the numbers of the second column), numbers, dtype, shape, and what the
ledger must say of each: role, status, parameters. Shapes follow public configs; the expectations were written before any count.
"""

import json
from collections import Counter
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

import pytest

from hubcmp.parameters import Ledger, account
from hubcmp.readers import config as config_reader
from tests.weights import bundle, header, safetensors, text

DIALECTS = Path(__file__).parents[2] / "fixtures" / "arch" / "dialects"
Row = tuple[str, str, tuple[int, ...], str, str, int]


def rows(fixture: dict[str, Any]) -> Iterator[Row]:
    """Yield (name, dtype, shape, role, status, parameters) of every tensor."""
    for name, numbers, dtype, shape, *booked in fixture["tensors"]:
        for number in spelled(numbers):
            yield name.replace("#", number), dtype, tuple(shape), *booked


def spelled(numbers: str) -> Iterator[str]:
    """Spell out "0-2,5" as 0, 1, 2, 5; a single tensor has no number."""
    for part in numbers.split(","):
        first, _, last = part.partition("-")
        yield from map(str, range(int(first), int(last or first) + 1)) if first else [""]


def booked(fixture: dict[str, Any]) -> Ledger:
    tensors = list(rows(fixture))
    entries = header({t[0]: t[2] for t in tensors}, {t[0]: t[1] for t in tensors})
    document = text(fixture["config"], "config.json")
    return account(bundle(safetensors(entries), document), config_reader.read(document))


@pytest.mark.parametrize("path", sorted(DIALECTS.glob("*.json")), ids=lambda path: path.stem)
def test_every_dialect_is_booked_tensor_by_tensor(path: Path) -> None:
    fixture = json.loads(path.read_text())
    found = booked(fixture)
    want = {name: (role, status, n) for name, _, _, role, status, n in rows(fixture)}
    assert {name: (role, status, n) for name, role, status, n in found.tensors()} == want
    by_status: Counter[str] = Counter()
    for _, status, n in want.values():
        by_status[status] += n
    assert {k: n for k, n in found.by_status.items() if n} == dict(by_status)
    assert found.elements_total_all_tensors == sum(prod(shape) for _, _, shape, *_ in rows(fixture))
    assert all(entry.reason for entry in found.entries)


SILENT = {"hydra-mlp", "hydra-prefix", "medusa-2layers", "medusa-33b-prefix", "mtp-deepseek-native", "mtp-nemotron-h"}
"""Configs that lack a size of the closed form."""
UNEXPLAINED = {
    "dflash-kimi-llama": {"norm"}, "domino": {"other"}, "dspark-gated": {"markov_head"}, "dspark-joint": {"markov_head", "confidence_head"},
    "dspark-old-logit-head": {"confidence_head"}, "dspark-speculators": {"markov_head"}, "e1-qwen2-7b-qkvbias": {"attention"},
    "e3-modelopt-nohead": {"lm_head"}, "e3-spec-emb-frozen-verifier": {"attention", "mlp", "norm"},
    "e3-spec-verifier-kept": {"norm", "lm_head"}, "medusa-shared-head": {"resblock", "lm_head"}, "mtp-ernie": {"norm"},
    "mtp-mimo-v2": {"attention"}, "mtp-step35": {"attention", "norm"},
}  # fmt: skip
"""Roles in which a file holds what its config does not imply, or lacks what it does."""


@pytest.mark.parametrize("path", sorted(DIALECTS.glob("*.json")), ids=lambda path: path.stem)
def test_the_config_alone_implies_every_role_or_the_difference_is_named(path: Path) -> None:
    form = booked(json.loads(path.read_text())).closed_form
    assert form is not None
    assert bool(form.missing) == (path.stem in SILENT)
    differing = {row.role for row in form.rows if row.reason.startswith("unexplained: ")}
    assert differing == UNEXPLAINED.get(path.stem, set())
