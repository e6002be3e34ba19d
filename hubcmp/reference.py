"""What the user typed, as a Reference: a Hub repository at a revision, a folder, a file, recorded evidence, an endpoint or "-".

Pure: what lies on the disk is asked through `there`, so parsing is testable without files.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import unquote, urlsplit

from hubcmp.errors import UsageError

Kind = Literal["hub", "folder", "file", "recorded", "endpoint", "stdin"]
There = Literal["folder", "file", "recorded"] | None

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?"
REPOSITORY = re.compile(rf"(?!.*(?:\.\.|--)){_NAME}/{_NAME}")
"""A repository id of the Hub: org/name."""
_REVISION = re.compile(r"(?!.*(?:\.\.|//|/$))[A-Za-z0-9][A-Za-z0-9._/+-]{0,199}")
HUBS = ("https://huggingface.co", "https://hf.co", "https://www.huggingface.co")
"""Addresses whose pages are repositories; the caller adds the one in HF_ENDPOINT."""
_VIEWS = {"tree", "blob", "resolve", "raw", "commit", "commits", "edit"}
_OTHER_PAGES = {"datasets", "spaces", "collections", "papers", "docs", "blog", "buckets", "kernels"}


@dataclass(frozen=True, slots=True)
class Reference:
    """One input. `text` is verbatim what was typed (reports and `--bench REF=` use it); `note` says how an ambiguity was settled.

    `location` is a repo id for kind "hub", otherwise a path or URL. `revision` is "" for the default branch. `part` is what stands
    behind a "#": the drafter of that name inside a target's repository ("mtp"), or "target" for the model around it.
    """

    text: str
    kind: Kind
    location: str
    revision: str = ""
    note: str = ""
    part: str = ""


_PART = re.compile(r"[a-z][a-z0-9_]{0,31}")


def parse(text: str, there: Callable[[str], There], hubs: Sequence[str] = ()) -> Reference:
    """Return the Reference that `text` means. Raises UsageError with advice.

    `there(path)` says what lies at a path. `hubs` are addresses of Hubs beside the public one, such as a mirror's.
    """
    if not text.strip() or not text.isprintable():
        raise UsageError(f"{text!r} is not a reference; write org/name, a folder or a file")
    if "#" in text and not text.lower().startswith(("http://", "https://")) and there(text) is None:
        return _part(text, there, hubs)
    if text == "-":
        return Reference(text, "stdin", text)
    if text.lower().startswith(("http://", "https://")):
        return _url(text, (*HUBS, *hubs))
    if text.startswith("hub:"):
        return _hub(text, text.removeprefix("hub:"))
    kind = there(text)
    if kind is not None:
        return Reference(text, kind, text, note=_ambiguity(text, kind))
    if text.startswith((".", "/", "~")) or text.endswith((".safetensors", ".json", ".md", ".log")):
        raise UsageError(f"{text}: no such file or folder; for a Hub repository write hub:org/name")
    return _hub(text, text)


def _part(text: str, there: Callable[[str], There], hubs: Sequence[str]) -> Reference:
    """Parse REFERENCE#PART. Raises UsageError."""
    whole, _, part = text.rpartition("#")
    found = parse(whole, there, hubs) if whole and _PART.fullmatch(part) else None
    if found is None or found.part:
        raise UsageError(f"{text}: names no part of a repository; write for example org/name#mtp")
    return replace(found, text=text, part=part)


def _ambiguity(text: str, kind: str) -> str:
    """Say how a text was read that could name a path as well as a repository."""
    if not REPOSITORY.fullmatch(text.partition("@")[0]):
        return ""
    return (
        f"was read as the local {kind} of that name; for the Hub repository write hub:{text}, and ./{text} to be sure"
    )


def _hub(text: str, rest: str) -> Reference:
    """Parse org/name[@revision]."""
    repo, at, revision = rest.partition("@")
    name, colon, tag = rest.partition(":")
    if colon and tag and REPOSITORY.fullmatch(name):
        raise UsageError(f"{text}: a revision stands behind @; write {name}@{tag}")
    if not REPOSITORY.fullmatch(repo):
        raise UsageError(f"{text}: neither a file or folder here nor a repository id; write a path, or org/name")
    if at and not _REVISION.fullmatch(revision):
        raise UsageError(f"{text}: {revision!r} is not a revision; write a branch, a tag or a commit sha after the @")
    return Reference(text, "hub", repo, revision)


def _url(text: str, hubs: Sequence[str]) -> Reference:
    """Parse a web address: a page or file of a Hub is its repository, anything else a server to scrape."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise UsageError(f"{text} is not a web address; check its host and port") from None
    if not parts.hostname:
        raise UsageError(f"{text} is not a web address; it names no host")
    path = _below(parts.netloc.lower() + parts.path, hubs)
    return Reference(text, "endpoint", text) if path is None else _page(text, path)


def _below(address: str, hubs: Sequence[str]) -> str | None:
    """Return the path of an address (without scheme) below the Hub that it belongs to, or None."""
    for hub in hubs:
        home = urlsplit(hub)
        start = home.netloc.lower() + home.path.rstrip("/")
        if address == start or address.startswith(start + "/"):
            return address[len(start) :]
    return None


def _page(text: str, path: str) -> Reference:
    """Parse the path of a Hub's page: /org/name, /org/name/tree/REVISION, /org/name/blob/REVISION/FILE ..."""
    parts = [part for part in path.split("/") if part]
    parts = parts[2:] if parts[:2] == ["api", "models"] else parts
    if parts[:1] and parts[0] in _OTHER_PAGES:
        raise UsageError(
            f"{text} is no model repository; give the page of one, such as https://huggingface.co/org/name"
        )
    repo, view, rest = "/".join(parts[:2]), parts[2:3], [unquote(part) for part in parts[3:]]
    if not REPOSITORY.fullmatch(repo) or (view and view[0] not in {*_VIEWS, "revision"}):
        raise UsageError(f"{text} is no page of a model repository; write org/name or https://huggingface.co/org/name")
    taken = 3 if rest[:1] == ["refs"] else 1
    revision, file = "/".join(rest[:taken]), "/".join(rest[taken:])
    if revision and not _REVISION.fullmatch(revision):
        raise UsageError(f"{text}: {revision!r} is not a revision; give the address of a branch, a tag or a commit")
    note = f"was read as the repository {repo}; its files are chosen by name, not {file}" if file else ""
    return Reference(text, "hub", repo, revision, note)
