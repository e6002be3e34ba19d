"""`hubcmp --help` must not load what it does not need."""

import subprocess
import sys

HEAVY = (
    "pydantic",
    "httpx",
    "httpx2",
    "huggingface_hub",
    "jinja2",
    "markdown_it",
    "torch",
    "rich",
    "yaml",
    "matplotlib",
)
CODE = """
import sys
sys.argv = ["hubcmp", "--help"]
try:
    import hubcmp.__main__ as m
    m.main()
except SystemExit:
    pass
print(",".join(name for name in {heavy!r} if name in sys.modules))
"""


def test_help_loads_nothing_heavy() -> None:
    run = subprocess.run([sys.executable, "-c", CODE.format(heavy=HEAVY)], capture_output=True, text=True, check=True)
    assert "Usage:" in run.stdout
    assert run.stdout.splitlines()[-1] == ""
