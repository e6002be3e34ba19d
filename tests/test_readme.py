"""The README as a new user follows it: its commands run, its Python prints what it says, and no command is left out."""

import contextlib
import io
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from hubcmp.cli import cli
from tests.test_story import ROOT, build

README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.S)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The story laid out, with the recorded evidence as the default cache."""
    place = build(tmp_path / "work")
    shutil.copytree(ROOT / "fixtures" / "recorded", tmp_path / "home" / "hubcmp")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(place)
    return place


@pytest.mark.usefixtures("folder")
def test_python_blocks_print_what_they_say() -> None:
    code = "\n".join(blocks("python"))
    expected = re.findall(r"print\(.*\)  # (.+)", code)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    assert printed.getvalue().splitlines() == expected


@pytest.mark.parametrize("line", [line for block in blocks("bash") for line in block.splitlines()])
@pytest.mark.usefixtures("folder")
def test_commands_run(line: str) -> None:
    program, *arguments = shlex.split(line)
    assert program == "hubcmp"
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    assert len(done.stdout) > 100


def test_every_command_is_documented() -> None:
    assert [name for name in cli.commands if f"`hubcmp {name}" not in README] == []
