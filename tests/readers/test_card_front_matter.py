"""Front matter as the Hub means it, from broken YAML too; the body is always read."""

from pathlib import Path

import pytest

from hubcmp.document import BytesDocument
from hubcmp.facts import Source
from hubcmp.readers import Reading
from hubcmp.readers.card import PLUGIN
from hubcmp.readers.card.front_matter import MAX_ALIASES, split, texts

FOLDER = Path(__file__).parents[2] / "fixtures" / "readers" / "card" / "front_matter"


def read(name: str) -> Reading:
    return PLUGIN.read(BytesDocument(Source("org/x", "sha256:0", "README.md"), (FOLDER / f"{name}.md").read_bytes()))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda p: p.stem)
def test_the_body_is_always_read(path: Path) -> None:
    facts = [f for f in read(path.stem).facts if f.metric == "accept_length"]
    assert [(f.number, f.label) for f in facts] == [(2.9, "GSM8K")]


@pytest.mark.parametrize("name", ["bom", "crlf", "norway", "alias-bomb", "model-index-text"])
def test_the_licence_is_read(name: str) -> None:
    if name == "alias-bomb":
        assert read(name).metadata == {}
        assert "aliases" in read(name).problems[0].message
    else:
        assert read(name).metadata["license"] == "mit"


@pytest.mark.parametrize("name", ["tab", "colon", "list"])
def test_unreadable_yaml_is_one_warning_with_its_line(name: str) -> None:
    reading = read(name)
    assert reading.metadata == {}
    assert len(reading.problems) == 1
    assert "README.md line 2" in reading.problems[0].where


def test_no_stays_text() -> None:
    assert read("norway").metadata["language"] == "no"


def test_a_key_given_twice_is_a_conflict_and_the_last_one_wins() -> None:
    reading = read("dup")
    assert reading.metadata["license"] == "apache-2.0"
    assert "mit (line 2) and apache-2.0" in reading.problems[0].message


@pytest.mark.parametrize("name", ["unclosed", "rule-in-body"])
def test_what_is_no_front_matter(name: str) -> None:
    assert read(name).metadata == {}
    assert read(name).problems == ()


def test_lines_of_the_body_stay_those_of_the_file() -> None:
    front = split("---\nlicense: mit\n---\n# T\n\nx\n", "README.md")
    assert front.body.split("\n")[3] == "# T"
    assert front.lines == {"license": 2}


def test_several_base_models_are_candidates() -> None:
    card = "---\nbase_model:\n- a/One-7B\n- a/Two-7B\n---\n# Draft\n"
    reading = PLUGIN.read(BytesDocument(Source("org/x", "", "README.md"), card.encode()))
    named = [f for f in reading.facts if f.metric == "target_model"]
    assert [f.text for f in named] == ["a/One-7B", "a/Two-7B"]
    assert all("candidates" in f.method for f in named)


def test_a_finetune_label_does_not_make_the_target_less_of_one() -> None:
    card = "---\nbase_model: a/One-7B\nbase_model_relation: finetune\n---\n# Draft\n"
    reading = PLUGIN.read(BytesDocument(Source("org/x", "", "README.md"), card.encode()))
    assert next(f for f in reading.facts if f.metric == "target_model").method.endswith("candidates")


def test_aliases_up_to_the_limit_are_followed_and_more_are_refused() -> None:
    def front(n: int) -> str:
        return "---\na: &a x\nb: [" + ", ".join(["*a"] * n) + "]\n---\n"

    assert split(front(MAX_ALIASES), "c").data["b"] == ["x"] * MAX_ALIASES
    assert split(front(MAX_ALIASES + 1), "c").data == {}


def test_texts_takes_single_values_and_lists() -> None:
    assert texts("mit") == ("mit",)
    assert texts(["a", "b", {"c": "d"}]) == ("a", "b")
    assert texts("null") == texts({}) == ()
