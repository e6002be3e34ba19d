"""A user's own template, filled with the JSON contract: in a sandbox, in a process of its own with limits on time, memory and output.

The template is trusted no further than to arrange text, for it may come with a pull request: it sees the data and the files
of its own folder, and nothing of Python. What it cannot do ends in one line.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hubcmp.errors import UsageError

TEMPLATE_LIMIT = 1 << 20
"""Bytes of one template file."""
_REFUSED = 3
"""Exit code of the process that says on stderr, in one line, why it gave nothing."""
_PAGES = (".html", ".htm", ".xml", ".svg")


@dataclass(frozen=True, slots=True)
class Limits:
    """What filling a template may take: seconds of processor time (as many again of waiting), bytes of memory and of output."""

    seconds: int = 10
    memory: int = 1 << 30
    output: int = 5 * 1000 * 1000


def fill(template: Path, data: str, limits: Limits | None = None) -> str:
    """Return the template filled with `data`, a JSON object whose keys are its variables. Raises UsageError in one line."""
    limits = limits or Limits()
    order = json.dumps({"template": str(template.resolve()), "limits": asdict(limits)}) + "\n" + data
    paths = os.pathsep.join(path for path in sys.path if path)
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", __name__], input=order.encode(), capture_output=True, check=False,
            env={"PYTHONPATH": paths, "PATH": os.environ.get("PATH", ""), "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")},
            timeout=2 * limits.seconds + 5,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise UsageError(f"{template}: {_too_long(limits)}") from None
    if done.returncode == 0:
        return done.stdout.decode()
    said = done.stderr.decode(errors="replace").strip()
    raise UsageError(f"{template}: {said if done.returncode == _REFUSED and said else _too_long(limits)}")


def _too_long(limits: Limits) -> str:
    return f"filling it took more than {limits.seconds} s or {limits.memory >> 20} MiB; make the template do less"


def main() -> int:
    """Fill one template in this process: order and data come by stdin, the text goes to stdout, a refusal to stderr."""
    order = json.loads(sys.stdin.buffer.readline())
    data = json.loads(sys.stdin.buffer.read())
    limits = Limits(**order["limits"])
    _limit(limits)
    try:
        text = _filled(Path(order["template"]), data, limits)
    except MemoryError:
        return _refuse(f"filling it took more than {limits.memory >> 20} MiB; make the template do less")
    except Exception as error:  # whatever a template does wrong is its author's to read, not a fault of this program
        return _refuse(_reason(error))
    sys.stdout.buffer.write(text.encode(errors="backslashreplace"))
    return 0


def _limit(limits: Limits) -> None:
    """Bound this process, as far as the system can; the parent bounds its time in any case."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (limits.seconds, limits.seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))


def _refuse(why: str) -> int:
    sys.stderr.write(" ".join(why.split())[:400])
    return _REFUSED


def _reason(error: Exception) -> str:
    """Say what is wrong with a template and where, as far as that is known."""
    line = getattr(error, "lineno", None) or _line(error)
    name = getattr(error, "name", None) if line else None
    spot = f"line {line}" + (f" of {name}" if isinstance(name, str) else "") + ": " if line else ""
    return f"{spot}{type(error).__name__}: {error}" if str(error) else f"{spot}{type(error).__name__}"


def _line(error: Exception) -> int:
    """Return the line of the template at which an error rose, 0 when it is not known."""
    found, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            found = trace.tb_lineno
        trace = trace.tb_next
    return found


def _filled(template: Path, data: Any, limits: Limits) -> str:
    """Return the filled template. Raises whatever the template raises, ValueError for too much output."""
    from jinja2 import FunctionLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    from hubcmp.renderers.markdown import code, escape

    environment = ImmutableSandboxedEnvironment(
        loader=FunctionLoader(lambda name: _source(template.parent, name)),
        autoescape=template.name.lower().removesuffix(".j2").endswith(_PAGES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"markdown": escape, "code": code}
    return "".join(_bounded(environment.get_template(template.name).generate(**_shown(data)), limits.output))


def _source(folder: Path, name: str) -> str | None:
    """Return a template of the folder; None for one that is hidden or lies elsewhere, whatever links or dots lead there."""
    place = (folder / name).resolve()
    if not place.is_relative_to(folder) or not place.is_file():
        return None
    if any(part.startswith(".") for part in place.relative_to(folder).parts):
        return None  # .git and .env hold what no report may show
    with place.open("rb") as file:
        content = file.read(TEMPLATE_LIMIT + 1)
    if len(content) > TEMPLATE_LIMIT:
        raise ValueError(f"{name} is larger than {TEMPLATE_LIMIT:,} bytes")
    return content.decode("utf-8-sig")


def _bounded(pieces: Iterator[str], limit: int) -> Iterator[str]:
    size = 0
    for piece in pieces:
        size += len(piece.encode(errors="replace"))
        if size > limit:
            raise ValueError(f"it gives more than {limit:,} bytes; make the template say less")
        yield piece


def _shown(value: Any) -> Any:
    """Return data with control and invisible characters of its texts written as escapes, since a terminal may show it."""
    from hubcmp.renderers._plain import visible

    if isinstance(value, dict):
        return {key: _shown(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shown(item) for item in value]
    return visible(value) if isinstance(value, str) else value


if __name__ == "__main__":
    sys.exit(main())
