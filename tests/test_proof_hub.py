"""Frozen copies proved and refuted over HTTP: full-size repositories whose rows are made when they are asked for."""

import random
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from hubcmp import api
from hubcmp.facts import Evidence
from hubcmp.parameters import Ledger, Proof
from hubcmp.parameters._rows import cast
from hubcmp.parameters._sample import LEAST, MOST, affordable, sample
from tests.hub import Blob, Hub, Repository, header
from tests.weights import header as entries

WIDTH, ROWS, DRAFT = 256, 32_000, 8_000
Values = Callable[[int], Sequence[float]]
BYTES = {"BF16": 2, "F16": 2, "F32": 4}
PLACES = sorted(random.Random(3).sample(range(ROWS), DRAFT))


@cache
def copied(row: int) -> tuple[float, ...]:
    """A row of the target: numbers that BF16 holds exactly."""
    numbers = random.Random(row)
    return tuple(cast([numbers.gauss(0, 0.02) for _ in range(WIDTH)], "BF16"))


def own(row: int) -> Sequence[float]:
    return copied(row + ROWS)


def changed(row: int) -> Sequence[float]:
    """A copy in which one row in a hundred was touched, the first ids."""
    return [2 * value for value in copied(row)] if row < ROWS // 100 else copied(row)


def retrained(row: int) -> Sequence[float]:
    return [value + 0.02 * 0.05 * other for value, other in zip(copied(row), own(row), strict=True)]


def packed(values: Sequence[float], dtype: str) -> bytes:
    if dtype == "BF16":
        return b"".join(struct.pack("<f", v)[2:] for v in cast(values, "BF16"))
    return struct.pack(f"<{len(values)}{dict(F32='f', F16='e')[dtype]}", *values)


def repository(dtype: str, **matrices: tuple[int, Values]) -> Repository:
    """A repository whose weight file holds these matrices (rows, values), an EAGLE-3's mark, and a map where the head is a slice."""
    names = {"embedding": "model.embed_tokens.weight", "head": "lm_head.weight", "slice": "lm_head.weight"}
    shapes = {names[kind]: (rows, WIDTH) for kind, (rows, _) in matrices.items()}
    made = {names[kind]: values for kind, (_, values) in matrices.items()}
    dtypes = dict.fromkeys(shapes, dtype) | {"d2t": "I64"}
    mark: dict[str, tuple[int, ...]] = {"d2t": (DRAFT,)} if "slice" in matrices else {}
    found = entries({**shapes, "midlayer.hidden_norm.weight": (WIDTH,), **mark}, dtypes)
    empty = header(found)

    def content(start: int, stop: int) -> bytes:
        """The bytes of a range, from the tensors that it crosses."""
        pieces = []
        for name, entry in found.items():
            first, last = (len(empty.head) + at for at in entry["data_offsets"])
            if first < stop and start < last:
                pieces.append(_part(name, max(start, first) - first, min(stop, last) - first))
        return b"".join(pieces)

    def _part(name: str, start: int, stop: int) -> bytes:
        if name == "d2t":
            return struct.pack(f"<{DRAFT}q", *(place - n for n, place in enumerate(PLACES)))[start:stop]
        if name not in made:
            return bytes(stop - start)
        wide = WIDTH * BYTES[dtype]
        rows = range(start // wide, -(-stop // wide))
        return b"".join(packed(made[name](row), dtype) for row in rows)[start - rows.start * wide :][: stop - start]

    return Repository({"model.safetensors": Blob(empty.head, empty.size, content), "config.json": b"{}"})


@pytest.fixture(scope="module")
def server() -> Iterator[Hub]:
    with Hub({}) as hub:
        yield hub


@pytest.fixture
def hub(server: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    server.reset()
    monkeypatch.setenv("HF_ENDPOINT", server.endpoint)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    return server


def proven(hub: Hub, drafter: Repository, target: Repository, rows: int = 0) -> Ledger:
    hub.repositories = {"org/drafter": drafter, "org/target": target}
    return api.params(["org/drafter"], target="org/target", rows=rows).items[0]


def proof(ledger: Ledger, role: str) -> Proof:
    return next(p for p in ledger.proofs if p.role == role)


def target(dtype: str = "BF16") -> Repository:
    return repository(dtype, embedding=(ROWS, copied), head=(ROWS, copied))


CASES = [
    (copied, "identical", "frozen_copy"),
    (changed, "close", "trainable"),
    (retrained, "close", "trainable"),
    (own, "unrelated", "trainable"),
]


@pytest.mark.parametrize(("values", "verdict", "status"), CASES, ids=["copy", "changed", "retrained", "random"])
@pytest.mark.parametrize(
    ("dtype", "target_dtype"), [("BF16", "BF16"), ("BF16", "F32"), ("BF16", "F16"), ("F32", "BF16"), ("F16", "BF16")]
)
def test_embedding_and_sliced_head(
    hub: Hub, values: Values, verdict: str, status: str, dtype: str, target_dtype: str
) -> None:
    drafter = repository(dtype, embedding=(ROWS, values), slice=(DRAFT, lambda row: values(PLACES[row])))
    ledger = proven(hub, drafter, target(target_dtype), rows=24)
    assert ledger.problems == ()
    assert [(p.role, p.verdict) for p in ledger.proofs] == [("embedding", verdict), ("lm_head", verdict)]
    assert all(p.rows == 24 for p in ledger.proofs)
    settled = {e.role: (e.status, e.evidence) for e in ledger.entries}
    assert settled["embedding"] == settled["lm_head"] == (status, Evidence.VERIFIED)


def test_a_changed_copy_says_how_many_rows_still_equal(hub: Hub) -> None:
    found = proof(proven(hub, repository("BF16", embedding=(ROWS, changed)), target()), "embedding")
    assert (found.rows, found.equal) == (MOST, MOST - 64)
    assert f"{found.equal} of {found.rows} sampled rows still equal" in found.reason


def test_more_rows_exclude_smaller_changes(hub: Hub) -> None:
    found = proof(proven(hub, repository("BF16", embedding=(ROWS, copied)), target(), rows=300), "embedding")
    assert found.rows == 300
    assert "more than 1.0 % changed rows are excluded" in found.reason
    assert proof(proven(hub, repository("BF16", embedding=(ROWS, copied)), target(), rows=5), "embedding").rows == 5


def test_a_tied_target_lends_its_embedding_as_a_head(hub: Hub) -> None:
    drafter = repository("BF16", slice=(DRAFT, lambda row: copied(PLACES[row])))
    assert proof(proven(hub, drafter, repository("BF16", embedding=(ROWS, copied))), "lm_head").verdict == "identical"


def test_what_the_drafter_lacks_is_absent(hub: Hub) -> None:
    ledger = proven(hub, repository("BF16", slice=(DRAFT, own)), target())
    absent = proof(ledger, "embedding")
    assert (absent.verdict, absent.target_name, absent.reason) == (
        "absent",
        "model.embed_tokens.weight",
        "loaded from the target",
    )


def asked(hub: Hub, repo: str) -> list[int]:
    """Bytes of every range that was asked for of one repository's weights, behind its header."""
    spans = [
        r.range.removeprefix("bytes=").split("-")
        for r in hub.requests
        if r.host == "cdn" and f"/{repo}/" in r.path and r.range
    ]
    return [int(last) + 1 - int(first) for first, last in spans if int(first)]


@pytest.mark.parametrize(("dtype", "wide"), [("BF16", 4096), ("F32", 4096), ("BF16", 7168)])
def test_less_than_a_megabyte_is_read_of_either_side(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, dtype: str, wide: int
) -> None:
    monkeypatch.setattr("tests.test_proof_hub.WIDTH", wide)
    values = cache(lambda row: [((row * 31 + n) % 251 + 1) / 256 for n in range(wide)])
    drafter = repository(dtype, embedding=(ROWS, values), slice=(DRAFT, lambda row: values(PLACES[row])))
    ledger = proven(hub, drafter, repository(dtype, embedding=(ROWS, values), head=(ROWS, values)))
    assert {p.verdict for p in ledger.proofs} == {"identical"}
    for repo in ("org/drafter", "org/target"):
        assert 300_000 < sum(asked(hub, repo)) < 1_000_000
    assert len(asked(hub, "org/drafter")) < 20


def test_rows_fit_the_budget_and_lie_in_three_strata() -> None:
    assert affordable([]) == LEAST
    assert affordable([(512, 1024)]) == MOST
    assert affordable([(14_336, 14_336)] * 2) == 31
    assert affordable([(10**6, 10)]) == LEAST
    rows = sample(ROWS, 64)
    assert (len(rows), rows[:48], rows[-8:]) == (64, list(range(48)), list(range(ROWS - 8, ROWS)))
    assert sample(10, 64) == list(range(10))
    for wanted in (1, 7, 65, 2000):
        assert len(set(sample(ROWS, wanted))) == wanted
        assert len(set(sample(2003, wanted))) == wanted
