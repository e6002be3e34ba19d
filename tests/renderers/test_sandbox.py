"""User templates: they arrange the JSON data, and reach nothing else, whatever they try."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jinja2 import TemplateError, TemplateNotFound
from jinja2.sandbox import SecurityError

from hubcmp.cli import cli
from hubcmp.errors import UsageError
from hubcmp.renderers._sandbox import TEMPLATE_LIMIT, Limits, _filled, fill
from tests.test_story import RECORDED, THEIRS, build

DATA = {"verdict": {"word": "A <b>| @team", "reasons": ["one", "two"]}, "rows": [{"value": 1.5}, {"value": None}]}


def filled(folder: Path, text: str, name: str = "report.md", data: Any = DATA, limits: Limits | None = None) -> str:
    """Fill a template as users do, in a process of its own."""
    (folder / name).write_text(text)
    return fill(folder / name, json.dumps(data), limits)


def here(folder: Path, text: str, name: str = "report.md", data: Any = DATA) -> str:
    """Fill a template in the sandbox alone, without a process and its limits, which is quicker."""
    (folder / name).write_text(text)
    return _filled((folder / name).resolve(), data, Limits())


def test_variables_are_the_keys_of_the_contract(tmp_path: Path) -> None:
    text = "{% for row in rows %}\n{{ loop.index }}: {{ row.value }}\n{% endfor %}\n{{ verdict.reasons|join(', ') }}\n"
    assert filled(tmp_path, text) == "1: 1.5\n2: None\none, two\n"


def test_an_empty_template_is_an_empty_report(tmp_path: Path) -> None:
    assert here(tmp_path, "") == ""


@pytest.mark.parametrize("name", ["r.html", "r.HTM", "r.xml.j2", "r.html.j2"])
def test_pages_are_escaped(tmp_path: Path, name: str) -> None:
    assert here(tmp_path, "{{ verdict.word }}", name) == "A &lt;b&gt;| @team"


def test_markdown_has_its_own_filters(tmp_path: Path) -> None:
    assert (
        here(tmp_path, "{{ verdict.word|markdown }} {{ verdict.word|code }}")
        == "A \\<b\\>\\| @\u200bteam `A <b>¦ @team`"
    )


def test_what_steers_a_terminal_is_shown_as_escape(tmp_path: Path) -> None:
    assert here(tmp_path, "{{ a }}", data={"a": "x\x1b[31m\u202e\n::set-output"}) == "x\\x1b[31m\\u202e ::set-output"


def test_files_of_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "head.md").write_text("Head of {{ verdict.reasons[0] }}\n")
    assert here(tmp_path, "{% include 'parts/head.md' %}rest") == "Head of one\nrest"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A folder of templates beside and around which other files lie."""
    folder = tmp_path / "templates"
    (folder / ".git").mkdir(parents=True)
    for place in (tmp_path / "secret", folder / ".git" / "config", folder / ".env"):
        place.write_text("SECRET")
    (folder / "link.md").symlink_to(tmp_path / "secret")
    (folder / "away").symlink_to(tmp_path)
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "link.md",
        "away/secret",
        ".git/config",
        ".env",
        "/etc/passwd",
        "parts/../../secret",
        "./.env",
        "..",
        ".",
        "",
    ],
)
def test_no_file_beyond_it(secret: Path, name: str) -> None:
    for text in (f"{{% include '{name}' %}}", f"{{% extends '{name}' %}}", f"{{% import '{name}' as x %}}"):
        with pytest.raises(TemplateNotFound):
            here(secret, text)


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__ }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ ''['__class__'] }}",
        "{{ verdict|attr('__class__') }}",
        "{{ '{0.__class__}'.format(rows) }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ self._TemplateReference__context }}",
        "{{ rows.append(1) }}",
        "{{ verdict.update(word='x') }}",
        "{{ range(10**9)|list }}",
        "{{ open('/etc/passwd') }}",
        "{% import os %}",
    ],
)
def test_python_is_out_of_reach(tmp_path: Path, text: str) -> None:
    with pytest.raises((SecurityError, TemplateError, OverflowError)):
        here(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "{{ 'a' * 10**9 }}",
        "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
        "{{ (9**9**9)**9**9|int }}",
        "{% set x = namespace(v=[1]) %}{% for i in range(60) %}{% set x.v = x.v + x.v %}{% endfor %}",
    ],
    ids=["memory", "time", "power", "doubling"],
)
def test_time_and_memory_end(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"took more than|Error"):
        filled(tmp_path, text, limits=Limits(seconds=1, memory=400 << 20))


def test_output_ends(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="gives more than 5,000,000 bytes"):
        filled(tmp_path, "{% for i in range(100000) %}" + "x" * 60 + "{% endfor %}")


def test_a_template_beyond_all_measure(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="larger than"):
        here(tmp_path, "x" * (TEMPLATE_LIMIT + 1))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a\n{{ verdict.nope }}", "line 2: UndefinedError: 'dict object' has no attribute 'nope'"),
        ("a\n\n{% if %}", "line 3 of report.md: TemplateSyntaxError"),
        ("{{ 1 // 0 }}", "line 1: ZeroDivisionError"),
        ("{% include 'report.md' %}", "RecursionError"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        filled(tmp_path, text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_modules_beside_the_user_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jinja2.py").write_text("raise SystemExit('taken over')")
    monkeypatch.chdir(tmp_path)
    assert filled(tmp_path, "{{ verdict.reasons[0] }}") == "one"


def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(build(tmp_path / "work"))
    Path("mine.tex").write_text("{{ verdict.word }}: {% for d in drafters %}{{ d.ref }} {% endfor %}")
    call = ["compare", THEIRS, "./ckpt", "--template", "mine.tex", *RECORDED]
    assert CliRunner().invoke(cli, call).stdout == f"NOT COMPARABLE AS GIVEN: {THEIRS} ./ckpt "
    done = CliRunner().invoke(cli, [*call, "-o", "out.tex", "--redact-private"])
    assert done.exit_code == 0, done.output
    assert Path("out.tex").read_text().startswith("NOT COMPARABLE")
    assert CliRunner().invoke(cli, [*call, "--format", "json"]).exit_code == 2
    Path("mine.tex").write_text("{{ nothing }}")
    wrong = CliRunner().invoke(cli, call)
    assert wrong.exit_code == 2
    assert "mine.tex: line 1: UndefinedError" in wrong.stderr
    assert CliRunner().invoke(cli, [*call[:3], "--template", "none.tex"]).exit_code == 2
