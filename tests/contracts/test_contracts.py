"""The published schemas: each is valid itself, and what the commands print fits it to the last key."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from hubcmp import api
from hubcmp.cli import cli
from hubcmp.contracts import CONTRACTS, schema
from hubcmp.errors import UsageError
from tests.contracts.conftest import ACCESS, REFS
from tests.test_shelves import READERS, samples
from tests.test_story import ROOT

BENCHMARKS = [str(path) for name, reader in READERS.items() if reader.kind == "benchmark" for path in samples(name)]
CARDS = [str(path) for path in samples("card")]


def closed(node: Any) -> Any:
    """The schema with no room for a key that it does not name."""
    if isinstance(node, list):
        return [closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    whole = {key: closed(item) for key, item in node.items()}
    return whole | {"additionalProperties": False} if isinstance(node.get("properties"), dict) else whole


VALIDATORS = {name: jsonschema.Draft202012Validator(closed(schema(name))) for name in CONTRACTS}


def troubles(name: str, answer: Any) -> list[str]:
    found = VALIDATORS[name].iter_errors(json.loads(api.render(answer, "json")))
    return [f"{error.json_path}: {error.message[:200]}" for error in found]


@pytest.mark.parametrize("name", CONTRACTS)
def test_the_command_prints_a_valid_schema(name: str) -> None:
    done = CliRunner().invoke(cli, ["schema", name])
    assert done.exit_code == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(done.stdout))
    assert json.loads(done.stdout)["title"] == f"hubcmp {name}"


def test_without_a_name_it_is_that_of_compare() -> None:
    assert CliRunner().invoke(cli, ["schema"]).stdout == CliRunner().invoke(cli, ["schema", "compare"]).stdout


def test_another_name_is_refused() -> None:
    with pytest.raises(UsageError, match="there is a schema of compare, card, params, bench, check, depth"):
        api.schema("comparison")


def test_every_model_says_what_it_is() -> None:
    models = [(name, title, item) for name in CONTRACTS for title, item in schema(name)["$defs"].items()]
    assert [
        f"{name}: {title}" for name, title, item in models if "enum" not in item and not item.get("description")
    ] == []


@pytest.mark.usefixtures("story")
def test_the_story_fits() -> None:
    plain = ["./ckpt=plain.log"]
    for bench in (["./ckpt=ours.log"], []):
        gates = ["accept_length < 2.0", "training_samples < 1M"]
        answer = api.compare(REFS, bench=bench, plain=plain, fail_on=gates, given=["temperature=0"], access=ACCESS)
        assert troubles("compare", answer) == []
    assert troubles("compare", api.compare([*REFS, "./ckpt"], fact=["2=speedup=1.4x"], access=ACCESS)) == []
    assert troubles("params", api.params(REFS, ACCESS, tensors=True)) == []
    assert troubles("params", api.params(REFS[1:], ACCESS, target="./ckpt")) == []
    assert troubles("card", api.card(REFS, ACCESS)) == []


@pytest.mark.usefixtures("story")
def test_benchmarks_fit() -> None:
    assert troubles("bench", api.bench(BENCHMARKS)) == []
    assert troubles("compare", api.compare(REFS, bench=BENCHMARKS[::4], access=ACCESS)) == []


def test_a_source_that_gives_nothing_fits() -> None:
    assert troubles("bench", api.bench(["no-such.log"])) == []
    assert troubles("compare", api.compare(["no/such", "nor/such"], access=ACCESS)) == []
    assert troubles("params", api.params(["no/such"], ACCESS)) == []
    assert troubles("card", api.card(["no/such"], ACCESS)) == []


def test_cards_fit() -> None:
    assert troubles("card", api.card(CARDS, ACCESS)) == []


def checkpoints(folder: Path) -> Iterator[str]:
    """One folder per sample of headers and configs."""
    from scripts.sparse import write_safetensors

    for header in sorted((ROOT / "fixtures" / "arch" / "headers").iterdir()):
        place = folder / header.stem
        place.mkdir()
        shutil.copy(ROOT / "fixtures" / "arch" / "configs" / header.name, place / "config.json")
        write_safetensors(json.loads(header.read_text()), place / "model.safetensors")
        yield str(place)


def test_ledgers_fit(tmp_path: Path) -> None:
    found = list(checkpoints(tmp_path))
    assert troubles("params", api.params(found, ACCESS, tensors=True)) == []
    assert troubles("compare", api.compare(found, access=ACCESS)) == []


@pytest.mark.parametrize("lengths", [[(2.1, 2)], [(2.1, 2), (2.6, 4)], [(2.4, 3)]])
def test_depths_fit(lengths: list[tuple[float, int]]) -> None:
    assert troubles("depth", api.depth(lengths, 3)) == []


def test_a_wrong_type_does_not_fit() -> None:
    data = json.loads(api.render(api.depth([(2.1, 2)], 3), "json"))
    data[0]["accept_length"] = "2.1"
    assert not VALIDATORS["depth"].is_valid(data)


def test_an_unknown_key_does_not_fit_here_but_does_for_others() -> None:
    """A newer hubcmp may add keys, so the published schema leaves room; its own tests do not."""
    data = json.loads(api.render(api.depth([(2.1, 2)], 3), "json"))
    data[0]["more"] = 1
    assert not VALIDATORS["depth"].is_valid(data)
    jsonschema.validate(data, schema("depth"))
