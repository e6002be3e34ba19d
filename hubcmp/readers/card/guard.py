"""Limits before anything is parsed, so that no card can take unbounded time or memory; what was cut is reported."""

import re

from hubcmp.errors import Problem

MAX_BYTES = 2 << 20
"""Bytes of a card that are read."""
MAX_LINE = 10 * 1024
"""Characters of one line that are read."""
MAX_COLUMNS = 64
MAX_ROWS = 2000
_INVISIBLE = dict.fromkeys([0, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xAD], None)
_ESCAPES = re.compile(r"\x1b\[[0-9;:?]{0,20}[@-~]")
"""Colour codes of a pasted terminal; the numbers in them are no figures."""
_SPACES = dict.fromkeys([0xA0, 0x202F, 0x2009, 0x2007, 0x3000], " ")


def decode(content: bytes, where: str) -> tuple[str, list[Problem]]:
    """Return a card's bytes as text with plain newlines, no BOM, no invisible characters, and its limits kept."""
    problems = []
    if len(content) > MAX_BYTES:
        problems.append(Problem(where, f"larger than {MAX_BYTES:,} bytes; only the beginning was read"))
    text = content[:MAX_BYTES].decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    text = _ESCAPES.sub("", text.translate({**_INVISIBLE, **_SPACES}).replace("‑", "-"))
    lines = text.split("\n")
    kept = [line if len(line) <= MAX_LINE else line[:MAX_LINE] for line in lines]
    problems += [
        Problem(f"{where} line {i}", f"longer than {MAX_LINE:,} characters; cut")
        for i, line in enumerate(lines, 1)
        if len(line) > MAX_LINE
    ][:5]
    return "\n".join(_narrow(kept, where, problems)), problems


def _narrow(lines: list[str], where: str, problems: list[Problem]) -> list[str]:
    """Blank out table lines beyond the limits of columns and rows."""
    run, out = 0, []
    for i, line in enumerate(lines, 1):
        bars = line.count("|")
        run = run + 1 if bars else 0
        refused = bars > MAX_COLUMNS + 1 or run > MAX_ROWS + 2
        if refused and (bars > MAX_COLUMNS + 1 or run == MAX_ROWS + 3) and len(problems) < 10:
            problems.append(
                Problem(
                    f"{where} line {i}",
                    f"a table of more than {MAX_COLUMNS} columns or {MAX_ROWS:,} rows; the rest of it was left out",
                )
            )
        out.append("" if refused else line)
    return out
