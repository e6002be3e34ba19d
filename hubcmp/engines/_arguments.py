"""Settings as servers print them: NAME=VALUE lists of a repr, and launch commands with --flags."""

import re

from hubcmp.facts import Scalar

_ARGUMENT = re.compile(
    r"""'?(\w{1,80})'?(?:=|:\s)"""
    r"""('(?:[^'\\\n]|\\.){0,4000}'|"(?:[^"\\\n]|\\.){0,4000}"|\[[^\]\n]{0,4000}\]|\{[^}\n]{0,4000}\}|[^\s,()\[\]{}'"\x1b]{1,200})"""
)
_FLAG = re.compile(r"--([a-z][a-z0-9-]{1,60})[ =]('[^'\n]{0,400}'|\"[^\"\n]{0,400}\"|[^\s'\"\x1b]{1,400})")


def named(inside: str) -> dict[str, str]:
    """Return {name: value as text} of a printed list of arguments such as "model='x', tp_size=8"."""
    return {name: value.strip("'\"") for name, value in _ARGUMENT.findall(inside[: 1 << 16])}


def flags(command: str) -> dict[str, str]:
    """Return {name with underscores: value} of a launch command's --flags."""
    return {name.replace("-", "_"): value.strip("'\"") for name, value in _FLAG.findall(command[: 1 << 16])}


def scalar(raw: str) -> Scalar | None:
    """Return a setting as int, float, bool or text, or None when it is not set."""
    if raw in ("None", "null", ""):
        return None
    if raw in ("True", "False"):
        return raw == "True"
    if re.fullmatch(r"-?\d{1,15}", raw):
        return int(raw)
    return float(raw) if re.fullmatch(r"-?\d{1,15}\.\d{1,15}", raw) else raw
