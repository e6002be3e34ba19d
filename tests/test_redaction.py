"""Nothing private leaves: one name for one secret, everywhere, in every format; and what is public stays as it is."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from hubcmp import api
from hubcmp.cli import cli
from hubcmp.comparison import Comparison, compare
from hubcmp.document import Bundle, BytesDocument
from hubcmp.drafter import Drafter, Extra, assemble
from hubcmp.errors import Problem
from hubcmp.facts import Evidence, Fact, Source, Span
from hubcmp.measurements import read
from hubcmp.parameters import account
from hubcmp.redaction import redact
from tests.test_story import RECORDED, THEIRS, build

FORMATS = ("json", "markdown", "html", "terminal", "csv")
LOG = "/home/alice/my runs/ours.log"
CKPT = "/home/alice/models/ckpt"
HERE = "/home/alice/models"


def drafter(ref: str, kind: str, source: Source, private: bool = False) -> Drafter:
    fact = Fact("accept_length", Span.of(2.5), "tokens/step", Evidence.OBSERVED, f"read from {source.path}", (source,))
    problem = Problem(source.path, f"{source.ref}/config.json is missing, see also /home/alice/notes.txt.")
    return Drafter(ref, kind, "a" * 40, ref, None, {}, (fact,), problems=(problem,), private=private)


def comparison() -> Comparison:
    secret = drafter(
        "acme/secret-head", "hub", Source("acme/secret-head", "a" * 40, "README.md", "line 3"), private=True
    )
    public = drafter("org/public", "hub", Source("org/public", "a" * 40, "README.md"))
    return compare([public, secret, drafter(CKPT, "folder", Source(LOG, path=LOG))])


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("private", [False, True])
def test_no_absolute_path_in_any_format(format_: str, private: bool) -> None:
    drawn = api.render(redact(comparison(), HERE, private), format_)
    assert "alice" not in drawn
    assert "my runs" not in drawn
    assert "org/public" in drawn.replace("\\", "")


@pytest.mark.parametrize("format_", FORMATS)
def test_private_repositories_are_labels_and_not_linked(format_: str) -> None:
    open_, hidden = (api.render(redact(comparison(), HERE, private), format_) for private in (False, True))
    assert "secret" in open_
    assert "secret" not in hidden
    assert "acme" not in hidden
    assert "private-1" in hidden
    assert "huggingface.co/private" not in hidden


def test_by_default_paths_start_here_and_others_show_their_last_part() -> None:
    data = json.loads(api.render(redact(comparison(), HERE), "json"))
    assert [d["ref"] for d in data["drafters"]] == ["org/public", "acme/secret-head", "./ckpt"]
    assert data["warnings"][-1]["where"] == "ours.log"
    assert data["warnings"][-1]["message"] == "ours.log/config.json is missing, see also notes.txt."


def test_one_label_per_secret_in_order_of_appearance() -> None:
    hidden = redact(comparison(), HERE, private=True)
    names = [d.ref for d in hidden.drafters]
    assert len(set(names)) == 3
    assert hidden.drafters[2].figures[0].sources[0].ref == hidden.drafters[2].problems[0].where
    assert {e.ref for e in hidden.estimates} <= set(names)
    assert redact(comparison(), HERE, private=True) == hidden


def test_two_files_of_one_name_stay_two() -> None:
    pair = (Source("/a/x/run.log"), Source("/b/y/run.log"), Source("run.log-2"))
    assert [s.ref for s in redact(pair, "/here")] == ["run.log", "run.log-3", "run.log-2"]


def test_a_label_is_not_given_twice() -> None:
    assert [s.ref for s in redact((Source("/a/x"), Source("private-1")), "/", private=True)] == [
        "private-2",
        "private-1",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see /home/bob/x.log: cannot be read", "see x.log: cannot be read"),
        ("--model-path=/models/K2, x", "--model-path=K2, x"),
        ("(file:///home/bob/q.txt.)", "(q.txt.)"),
        ("~/secret/x and C:\\Users\\bob\\x.txt and \\\\srv\\share\\f", "x and x.txt and f"),
        (f"{HERE}/sub/run.log", "./sub/run.log"),
        (f"in {HERE}", "in ."),
        (f"{HERE}-2/run.log", "run.log"),
        ("/home/bob/ckpt/", "ckpt"),
    ],
)
def test_paths_inside_texts(text: str, shown: str) -> None:
    assert redact(text, HERE) == shown
    assert "private-1" in redact(text, HERE, private=True)


@pytest.mark.parametrize(
    "text",
    [
        "https://huggingface.co/org/name/blob/main/README.md", "3 / 2", "tok/s", "tok/s/GPU", "accepted / drafted", "A/(N*(n-1))",
        "./ckpt/model.safetensors", "../other/run.log", "org/name@refs/pr/1", "$.eagle_config.x", "and/or", "a\\*b", "1.4M", "",
    ],
)  # fmt: skip
def test_what_is_no_absolute_path_stays(text: str) -> None:
    for private in (False, True):
        assert redact(text, HERE, private) == text


def test_an_answer_without_secrets_is_not_copied() -> None:
    answer = compare([drafter("a/b", "hub", Source("a/b", path="x")), drafter("c/d", "hub", Source("c/d", path="y"))])
    answer = replace(answer, drafters=tuple(replace(d, problems=()) for d in answer.drafters), problems=())
    assert redact(answer, HERE, private=True) is answer


def test_the_server_of_a_saved_result_is_hidden(tmp_path: Path) -> None:
    text = "vllm:spec_decode_num_drafts_total 4\n"
    saved = json.loads(api.render(api.measured([read([BytesDocument(Source("x"), text.encode())], "x")]), "json"))
    saved[0]["source"] = "http://gpu7.acme.internal:8000/metrics"
    (tmp_path / "run.json").write_text(json.dumps(saved))
    answer = api.bench([str(tmp_path / "run.json")])
    assert "gpu7" in api.render(answer, "json")
    for name in FORMATS:
        assert "gpu7" not in api.render(answer, name, redact_private=True)


def test_a_server_is_somebodys_own_but_the_hub_is_not() -> None:
    pair = (Source("http://gpu7.acme.internal:8000/metrics"), Source("https://huggingface.co/org/name"))
    assert [s.ref for s in redact(pair, HERE, private=True)] == ["private-1", "https://huggingface.co/org/name"]


def test_many_slashes_take_linear_time() -> None:
    assert len(redact(" /a" * 200_000, HERE)) == 600_000
    assert redact("/" * 400_000, HERE) == "/" * 400_000


def test_the_hub_says_what_is_private() -> None:
    for info, private in (
        ({"private": True}, True),
        ({"private": False}, False),
        ({"private": "yes"}, False),
        ({}, False),
    ):
        bundle = Bundle("acme/x", "hub", info=info)
        assert assemble(bundle, [], account(bundle), Extra()).private is private


@pytest.mark.parametrize("options", [(), ("--redact-private",)])
def test_commands_given_absolute_paths(tmp_path: Path, options: tuple[str, ...]) -> None:
    folder = build(tmp_path / "alice")
    log, ckpt = str(folder / "ours.log"), str(folder / "ckpt")
    for call in (
        ("compare", THEIRS, ckpt, "--bench", log, "--json", str(tmp_path / "kept.json"), *RECORDED),
        ("params", ckpt),
        ("card", ckpt),
        ("bench", log),
        ("bench", log, str(folder / "missing.log")),
    ):
        for format_ in FORMATS:
            done = CliRunner().invoke(cli, [*call, "--format", format_, *options])
            assert done.exit_code in (0, 3), done.output
            assert str(tmp_path) not in done.stdout
            assert "alice" not in done.stdout
    assert str(tmp_path) not in (tmp_path / "kept.json").read_text()


def test_a_file_elsewhere_is_called_by_its_own_name() -> None:
    """The path within its bundle is that name already and is no other file's."""
    secret = "/data/cards/eagle.md"
    shown = redact(Source(secret, path="eagle.md"), HERE)
    assert shown.ref == "eagle.md"


def test_two_scrapes_keep_both_names() -> None:
    pair = "/data/runs/before.prom../data/runs/after.prom"
    assert redact(Source(pair, path=pair), HERE).ref == "before.prom..after.prom"
