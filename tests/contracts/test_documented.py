"""The page on JSON: each example fits its schema to the last key, and every contract has one."""

import json
import re

import pytest

from hubcmp.contracts import CONTRACTS, schema
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


def test_every_key_of_a_comparison_is_named() -> None:
    keys = set(schema("compare")["properties"]) - {"schema_version", "tool"}
    assert sorted(key for key in keys if f"`{key}`" not in PAGE) == []
