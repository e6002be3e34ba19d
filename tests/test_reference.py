"""What a text refers to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hubcmp.errors import UsageError
from hubcmp.reference import Reference, There, parse

SHA = "0123456789abcdef0123456789abcdef01234567"
DISK: dict[str, There] = {
    "./ckpt": "folder", "ckpt": "folder", "org/name": "folder", "org/name@v1": "folder", "a.safetensors": "file", "rec": "recorded",
    "./run@2": "folder",
}  # fmt: skip


def read(text: str, *hubs: str) -> tuple[str, str, str]:
    reference = parse(text, DISK.get, hubs)
    assert reference.text == text
    return reference.kind, reference.location, reference.revision


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("org/model", ("hub", "org/model", "")),
        ("org/model@v1.0", ("hub", "org/model", "v1.0")),
        (f"org/model@{SHA}", ("hub", "org/model", SHA)),
        ("org/model@refs/pr/12", ("hub", "org/model", "refs/pr/12")),
        ("hub:org/name", ("hub", "org/name", "")),
        ("hub:org/name@main", ("hub", "org/name", "main")),
        ("org/name", ("folder", "org/name", "")),
        ("org/name@v1", ("folder", "org/name@v1", "")),
        ("./run@2", ("folder", "./run@2", "")),
        ("./ckpt", ("folder", "./ckpt", "")),
        ("a.safetensors", ("file", "a.safetensors", "")),
        ("rec", ("recorded", "rec", "")),
        ("-", ("stdin", "-", "")),
        ("http://127.0.0.1:30000/metrics", ("endpoint", "http://127.0.0.1:30000/metrics", "")),
        ("https://huggingface.co.evil.org/org/model", ("endpoint", "https://huggingface.co.evil.org/org/model", "")),
        ("https://huggingface.co/org/model", ("hub", "org/model", "")),
        ("https://huggingface.co/org/model/", ("hub", "org/model", "")),
        ("HTTPS://HuggingFace.co/Org/Model?x=1#files", ("hub", "Org/Model", "")),
        ("https://hf.co/org/model/tree/v2", ("hub", "org/model", "v2")),
        ("https://huggingface.co/org/model/tree/refs%2Fpr%2F3", ("hub", "org/model", "refs/pr/3")),
        ("https://huggingface.co/org/model/tree/refs/pr/3", ("hub", "org/model", "refs/pr/3")),
        (f"https://huggingface.co/org/model/commit/{SHA}", ("hub", "org/model", SHA)),
        ("https://huggingface.co/org/model/blob/main/README.md", ("hub", "org/model", "main")),
        ("https://huggingface.co/org/model/resolve/main/sub/config.json", ("hub", "org/model", "main")),
        ("https://huggingface.co/api/models/org/model/revision/v1", ("hub", "org/model", "v1")),
    ],
)
def test_meaning(text: str, meaning: tuple[str, str, str]) -> None:
    assert read(text) == meaning


@pytest.mark.parametrize(
    ("text", "location", "revision", "part"),
    [
        ("org/model#mtp", "org/model", "", "mtp"),
        ("org/model@v1#dspark", "org/model", "v1", "dspark"),
        ("hub:org/name#target", "org/name", "", "target"),
        ("./ckpt#mtp", "./ckpt", "", "mtp"),
    ],
)
def test_a_part_of_a_repository(text: str, location: str, revision: str, part: str) -> None:
    found = parse(text, DISK.get)
    assert (found.text, found.location, found.revision, found.part) == (text, location, revision, part)


@pytest.mark.parametrize("text", ["org/model#", "#mtp", "org/model#MTP layer", "org/model#a#b", "org/model#../x"])
def test_a_part_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="#mtp"):
        parse(text, DISK.get)


def test_pages_of_a_mirror_are_repositories() -> None:
    mirror = "http://localhost:8080/hf"
    assert read("http://localhost:8080/hf/org/model/tree/v1", mirror) == ("hub", "org/model", "v1")
    assert read("http://localhost:8080/metrics", mirror)[0] == "endpoint"
    assert read("http://localhost:8080/hfx/org/model", mirror)[0] == "endpoint"


@pytest.mark.parametrize(
    "text",
    [
        "", "  ", "a\nb", "name", "org/name@", "hub:org/name@", "@v1", "org@v1/name", "hub:org/name@v1@v2", "a/b/c", "../up",
        "org/..", "hub:../name", "hub:org/name@../x", "hub:org/name@-x", "hub:org/name@a..b", "hub:org/name@refs//x", "org/a--b",
        "./nothing", "/nothing", "~/nothing", "nothing.safetensors", "http://", "http://[::1", "https://x:port/",
        "https://huggingface.co/datasets/org/name", "https://huggingface.co/org", "https://huggingface.co/",
        "https://huggingface.co/org/name/discussions/3", "https://huggingface.co/org/name/tree/..%2F..%2Fx", "org/na\u202eme",
    ],
)  # fmt: skip
def test_refused_with_advice(text: str) -> None:
    with pytest.raises(UsageError) as refusal:
        read(text)
    assert "\n" not in str(refusal.value)


def test_ambiguous_text_says_what_was_taken_and_how_to_force_the_other() -> None:
    note = parse("org/name", DISK.get).note
    assert "local folder" in note
    assert "hub:org/name" in note
    assert "./org/name" in note
    assert parse("hub:org/name", DISK.get).note == ""
    assert parse("./ckpt", DISK.get).note == ""
    assert "not README.md" in parse("https://huggingface.co/org/model/blob/main/README.md", DISK.get).note


@given(st.text(max_size=60))
def test_any_text_is_a_reference_or_a_usage_error(text: str) -> None:
    try:
        reference = parse(text, lambda _: None)
    except UsageError:
        return
    assert isinstance(reference, Reference)
    if reference.kind == "hub":
        assert reference.location.count("/") == 1
        assert ".." not in reference.location + reference.revision
