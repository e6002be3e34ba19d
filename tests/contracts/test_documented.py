"""The page on JSON: each example fits its schema to the last key, and every contract has one."""

import json
import re
from pathlib import Path

import pytest

from hubcmp import api
from hubcmp.contracts import CONTRACTS, schema
from hubcmp.renderers._sandbox import fill
from tests.contracts.conftest import ACCESS, REFS
from tests.contracts.test_contracts import VALIDATORS
from tests.test_story import ROOT

PAGE = (ROOT / "docs" / "json.md").read_text()
SECTIONS = {text.partition("\n")[0]: text for text in PAGE.split("\n## ")[1:]}
EXAMPLES = {name: found[1] for name, text in SECTIONS.items() if (found := re.search(r"```json\n(.*?)```", text, re.S))}


def test_every_contract_has_an_example() -> None:
    assert list(EXAMPLES) == list(CONTRACTS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_fit(name: str) -> None:
    example, validator = json.loads(EXAMPLES[name]), VALIDATORS[name]
    if name == "compare":
        validator = validator.evolve(schema={"$ref": "#/$defs/Row", "$defs": validator.schema["$defs"]})
    assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(example)] == []


@pytest.mark.usefixtures("story")
def test_the_template_can_be_filled(tmp_path: Path) -> None:
    found = re.search(r"```jinja\n(.*?)```", PAGE, re.S)
    assert found is not None
    (tmp_path / "report.md.j2").write_text(found[1])
    text = fill(tmp_path / "report.md.j2", api.render(api.compare(REFS, access=ACCESS), "json"))
    assert text.splitlines()[0].startswith("NOT COMPARABLE AS GIVEN: target model differs")
    assert "- GSM8K (Math): 3.165 not stated " in text.splitlines()


def test_every_key_of_a_comparison_is_named() -> None:
    keys = set(schema("compare")["properties"]) - {"schema_version", "tool"}
    assert sorted(key for key in keys if f"`{key}`" not in PAGE) == []
