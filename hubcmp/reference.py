"""What the user typed, as a Reference: a Hub repository at a revision, a folder, a file, recorded evidence, an endpoint or "-".

Pure: what lies on the disk is asked through `there`, so parsing is testable without files.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from hubcmp.errors import UsageError

Kind = Literal["hub", "folder", "file", "recorded", "endpoint", "stdin"]
There = Literal["folder", "file", "recorded"] | None

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?"
REPOSITORY = re.compile(rf"{_NAME}/{_NAME}")
"""A repository id of the Hub: org/name."""
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+-]{0,199}")


@dataclass(frozen=True, slots=True)
class Reference:
    """One input. `text` is verbatim what was typed (reports and `--bench REF=` use it); `note` says how an ambiguity was settled.

    `location` is a repo id for kind "hub", otherwise a path or URL. `revision` is "" for the default branch.
    """

    text: str
    kind: Kind
    location: str
    revision: str = ""
    note: str = ""


def parse(text: str, there: Callable[[str], There]) -> Reference:
    """Return the Reference that `text` means; `there(path)` says what lies at a path. Raises UsageError with advice."""
    if not text.strip() or any(ord(c) < 32 for c in text):
        raise UsageError(f"{text!r} is not a reference; write org/name, a folder or a file")
    if text == "-":
        return Reference(text, "stdin", text)
    if text.startswith(("http://", "https://")):
        return Reference(text, "endpoint", text)
    if text.startswith("hub:"):
        return _hub(text, text.removeprefix("hub:"))
    kind = there(text)
    if kind is not None:
        return Reference(text, kind, text, note=_ambiguity(text, kind))
    if text.startswith((".", "/", "~")) or text.endswith((".safetensors", ".json", ".md", ".log")):
        raise UsageError(f"{text}: no such file or folder; for a Hub repository write hub:org/name")
    return _hub(text, text)


def _ambiguity(text: str, kind: str) -> str:
    """Say how a text was read that could name a path as well as a repository."""
    if not REPOSITORY.fullmatch(text.partition("@")[0]):
        return ""
    return f"{text} was read as the local {kind} of that name; for the Hub repository write hub:{text}"


def _hub(text: str, rest: str) -> Reference:
    """Parse org/name[@revision]."""
    repo, at, revision = rest.partition("@")
    if not REPOSITORY.fullmatch(repo) or ".." in repo or "--" in repo:
        raise UsageError(f"{text}: neither a file or folder here nor a repository id of the form org/name")
    if at and (not _REVISION.fullmatch(revision) or ".." in revision):
        raise UsageError(f"{text}: {revision!r} is not a revision; write a branch, a tag or a commit sha after the @")
    return Reference(text, "hub", repo, revision)
