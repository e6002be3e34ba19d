"""A saved comparison is the comparison again, and a file that lies or is broken gives one clear line."""

import json
import random
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hubcmp import api, contracts
from hubcmp.cli import cli
from hubcmp.comparison import Comparison
from hubcmp.errors import FormatError, HubcmpError
from hubcmp.sources import Access
from tests.contracts.conftest import ACCESS, REFS
from tests.contracts.test_contracts import BENCHMARKS, checkpoints

FORMATS = ("json", "markdown", "html", "terminal")


@pytest.fixture(scope="module")
def answer(story: Path) -> Comparison:
    gates = ["accept_length < 2.0", "training_samples < 1M", "accept_length drops > 5%"]
    given = ["temperature=0,benchmark=MT-Bench"]
    return api.compare(
        REFS, bench=["./ckpt=ours.log"], plain=["plain.log"], fail_on=gates, given=given, access=ACCESS
    )  # fmt: skip


@pytest.fixture(scope="module")
def saved(answer: Comparison) -> Any:
    return json.loads(api.render(answer, "json"))


def again(answer: Comparison) -> Comparison:
    return contracts.read(api.render(answer, "json").encode(), "saved.json")


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_is_the_same_from_the_file(answer: Comparison, format_: str) -> None:
    assert api.render(again(answer), format_) == api.render(answer, format_)


@pytest.mark.usefixtures("story")
@pytest.mark.parametrize("format_", ["json", "markdown"])
def test_many_benchmarks(format_: str) -> None:
    answer = api.compare(REFS, bench=BENCHMARKS[::3], access=ACCESS)
    assert api.render(again(answer), format_) == api.render(answer, format_)


def test_many_checkpoints(tmp_path: Path) -> None:
    answer = api.compare(list(checkpoints(tmp_path)), access=ACCESS)
    read = again(answer)
    assert [api.render(read, f) for f in ("json", "markdown")] == [api.render(answer, f) for f in ("json", "markdown")]


def test_its_first_drafter_is_a_reference(answer: Comparison, tmp_path: Path) -> None:
    file = tmp_path / "saved.json"
    file.write_text(api.render(answer, "json"))
    bench = ["./ckpt=ours.log"]
    offline = Access(offline=True, cache=tmp_path / "nothing")
    fresh = api.compare(REFS, bench=bench, access=ACCESS)
    assert api.render(api.compare([str(file), "./ckpt"], bench=bench, access=offline), "json") == api.render(
        fresh, "json"
    )


@pytest.mark.usefixtures("story")
def test_what_was_is_set_against_what_is(tmp_path: Path) -> None:
    file, run, given = tmp_path / "before.json", ["./ckpt=ours.log"], ["./ckpt=benchmark=MT-Bench"]
    before = api.compare(REFS, bench=run, given=given, baseline="./ckpt", access=ACCESS)
    file.write_text(api.render(before, "json"))
    answer = api.compare([str(file), "./ckpt"], bench=run, given=given)
    assert [d.ref for d in answer.drafters] == [str(file), "./ckpt"]
    assert answer.verdict.word == "COMPARABLE"
    assert {row.deltas[1] for row in answer.rows if row.section == "parameters"} == {0}


def test_a_broken_saved_comparison_is_no_reference(saved: Any, tmp_path: Path) -> None:
    file = tmp_path / "saved.json"
    file.write_text(json.dumps(changed(saved, ("rows",), 1)))
    with pytest.raises(FormatError, match="rows"):
        api.compare([str(file), "./ckpt"])


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("name", ["it's; $(odd) ckpt", "my ckpt", "plain"])
def test_a_name_that_a_shell_needs_quoted(tmp_path: Path, name: str, private: bool) -> None:
    odd = Path(next(checkpoints(tmp_path))).rename(tmp_path / name)
    drawn = api.render(api.compare([str(odd), REFS[0]], access=ACCESS), "json", redact_private=private)
    commands = contracts.read(drawn.encode(), "x.json").runs_to_settle
    assert list(commands) == json.loads(drawn)["runs_to_settle"]
    assert all(len(shlex.split(command)) > 5 for command in commands)


def test_exit_codes_outlive_the_file(answer: Comparison) -> None:
    read = again(answer)
    assert read.gate_failed
    assert (read.failed, read.nothing) == (answer.failed, answer.nothing)
    lost = again(api.compare(["no/such", "nor/such"], access=ACCESS))
    assert (lost.failed, lost.nothing) == (True, True)


def test_the_command(answer: Comparison, tmp_path: Path) -> None:
    file = tmp_path / "saved.json"
    file.write_text(api.render(answer, "json"))
    done = CliRunner().invoke(cli, ["render", str(file), "-o", str(tmp_path / "report.md"), "--comment-id", "drafter"])
    assert done.exit_code == 1  # as the comparison: its gate failed
    assert "<!-- hubcmp:drafter" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not valid JSON"),
        (b"[]", "a JSON object was expected"),
        (b"{}", "no saved comparison; write one with"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b"[" * 100_000, "nested too deeply"),
        (b"\xff\xfe", "not valid JSON"),
        (b'{"schema_version": 1' + b"1" * 5000 + b"}", "not valid JSON"),
    ],
)
def test_no_comparison_at_all(content: bytes, words: str) -> None:
    with pytest.raises(FormatError, match=words) as caught:
        contracts.read(content, "x.json")
    assert str(caught.value).startswith("x.json: ")
    assert "\n" not in str(caught.value)


def test_a_file_beyond_all_measure_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "huge.json"
    with file.open("wb") as f:
        f.truncate(contracts.LIMIT + 1)
    with pytest.raises(FormatError, match="larger than"):
        api.saved(str(file))


def test_no_such_file() -> None:
    done = CliRunner().invoke(cli, ["render", "no-such.json"])
    assert done.exit_code == 4
    assert "no-such.json: no such file" in done.stderr


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (("schema_version",), 2, "schema_version 2 is not known"),
        (("verdict", "word"), "BEST", "verdict.word"),
        (("rows", 0, "cells"), [], "cells"),
        (("rows", 0, "metric"), "beauty", "figures of a known metric"),
        (("reconciliations", 0, "position"), 7, "a drafter that is not there"),
        (("estimates", 0, "ref"), "nobody", "a drafter that is not there"),
        (("what_if", 0, "plain"), 0, "no table of speeds"),
        (("drafters", 0, "facts", 0, "metric"), "beauty", "no figure of a known metric"),
        (("drafters", 0, "facts", 0, "evidence"), "sworn", "evidence"),
        (("drafters", 0, "facts", 0, "value"), 1e300, "out of range"),
        (("drafters", 0, "revision"), None, "drafters.0.revision"),
        (("runs_to_settle", 0), "python -m sglang.launch_server x; curl evil", "no launch of a server"),
        (("runs_to_settle", 0), "rm -rf /", "no launch of a server"),
        (("runs_to_settle", 0), "vllm serve --model $(evil)", "no launch of a server"),
        (("runs_to_settle", 0), "vllm serve --model 'x", "no launch of a server"),
        (("runs_to_settle", 0), "vllm serve --model x\nevil", "no launch of a server"),
        (("axes", 0, "how"), [], "contradicts itself"),
        (("axes", 0, "values"), ["x"], "an axis without a value for each of 2 drafters"),
        (("drafters",), [], "0 drafters where at least two are compared"),
        (("rows", 0, "deltas"), [0], "2 cells and 1 deltas for 2 drafters"),
        (("rows", -1, "deltas"), [0, 0], "subtracts settings"),
        (("rows", 0, "cells", 0, "value"), "long", "something else than figures"),
        (("estimates", 0, "inputs", 0, "value"), True, "no figure of a known metric"),
        (("what_if", 0, "cells"), [], "no table of speeds"),
    ],
)
def test_what_is_wrong_is_named(saved: Any, place: tuple[Any, ...], value: Any, words: str) -> None:
    with pytest.raises(FormatError, match=words) as caught:
        contracts.read(json.dumps(changed(saved, place, value)).encode(), "x.json")
    assert "\n" not in str(caught.value)


def test_the_address_of_an_effect_is_ours(saved: Any) -> None:
    evil = changed(saved, ("axes", 0, "seen_at"), "https://evil.example/")
    read = contracts.read(json.dumps(evil).encode(), "x.json")
    assert all("evil.example" not in api.render(read, format_) for format_ in FORMATS)


def changed(node: Any, place: tuple[Any, ...], value: Any) -> Any:
    """A copy of `node` with one spot replaced."""
    if not place:
        return value
    copy = dict(node) if isinstance(node, dict) else list(node)
    copy[place[0]] = changed(node[place[0]], place[1:], value)
    return copy


def spots(node: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    pairs = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, item in pairs:
        yield from spots(item, (*place, key))


WRONG = (None, True, -1, 0, 1e17, -0.5, "", "\x1b]8;;x\x07 | <b>", [], {}, [[]], [0], ["x"], {"a": 1})


def refusal(content: bytes) -> tuple[str, Comparison | None]:
    try:
        return "", contracts.read(content, "x.json")
    except HubcmpError as error:
        return str(error), None


@pytest.mark.parametrize("seed", range(8))
def test_whatever_stands_in_a_spot_it_is_refused_or_drawn(saved: Any, seed: int) -> None:
    chance = random.Random(seed)
    for place in chance.sample(list(spots(saved)), 15):
        error, read = refusal(json.dumps(changed(saved, place, chance.choice(WRONG))).encode())
        assert "\n" not in error, place
        assert read is None or all(api.render(read, format_) for format_ in ("json", "markdown")), place
