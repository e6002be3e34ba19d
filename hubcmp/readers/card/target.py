"""Which model a card drafts for and by which algorithm, with the order of evidence: launch, front matter, text, repository name."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hubcmp.facts import Evidence
from hubcmp.labels import slug
from hubcmp.readers.card.front_matter import FrontMatter, texts
from hubcmp.readers.card.launch import Launch, launch_of
from hubcmp.readers.card.page import Block, Fence, Heading, Prose, Table
from hubcmp.readers.card.subjects import Identity
from hubcmp.readers.card.text import Text
from hubcmp.readers.card.vocabulary import ALGORITHMS, algorithm

_NAME = r"([A-Za-z][\w.-]{0,60}/[A-Za-z0-9][\w.-]{1,90}|[A-Z][A-Za-z]{0,20}[\w.]{0,20}(?:[- ]?\d[\w.]{0,12})?(?:-[\w.]{1,30}){0,8})"
_FOR = re.compile(
    rf"\b(?i:(?:draft\w*|head|speculator|eagle[-\w.]*|dflash\w*|dspark|mtp|model|decoding)\s(?:\w{{1,14}}\s){{0,3}}?for"
    rf"|drafts? for|pairs? (?:it )?with|next to the target|speeds? up|accelerat\w{{1,4}}|target(?: model)?"
    rf"|verifier|base model)(?:\s?(?:is|:|=)\s?|\s)(?:the\s(?:target\s)?)?(?:\w{{2,12}}'s\s)?`?{_NAME}"
)
_OF = re.compile(
    rf"(?:为|针对|适配|面向|用于)\s?`?{_NAME}|{_NAME}`?\s?(?:的|专用|配套)\s?(?:[\w.-]{{1,20}}\s?)?(?:草稿|投机|推测|draft|head|模型)",
    re.ASCII,
)
"""The same in Chinese: "为 X 训练的草稿模型", "X 的 EAGLE-3 草稿模型"."""
_TITLE = re.compile(
    rf"^\W{{0,3}}{_NAME}\s(?i:(?:the\s)?(?:{'|'.join(ALGORITHMS.values())}|draft\w*|speculator|nextn|mtp)\b)"
)
"""A title that puts the target before the method: "Falcon-H1-34B EAGLE-3 drafter"."""
_HOLDS = re.compile(
    r"\bthis (?:repo(?:sitory)?|model|release|page|card|checkpoint) "
    r"(?:holds?|contains?|is|provides|hosts|has) (?:the|an?|our) ([^.;:]{2,60})",
    re.IGNORECASE,
)
_DRAFT_WORD = "|".join([*ALGORITHMS.values(), "draft(?:er)?", "speculator", "spec", "head"])
_SUFFIX = re.compile(rf"(?:^SGLang-|^EAGLE\d?-|^speculator[.-]|(?:[-_.](?:{_DRAFT_WORD})[\w.-]*)$)", re.IGNORECASE)
_DESCRIBES = re.compile(r"\b(?:draft\w*|head|speculator)\b|草稿|投机", re.IGNORECASE)
_COMMON = frozenset(
    {"the", "this", "a", "an", "it", "inference", "serving", "decoding", "generation", "speculative", "model"}
)


@dataclass(frozen=True, slots=True)
class Found:
    """A text value with its evidence, how it was found and the line ("" evidence texts when unknown)."""

    value: str
    evidence: Evidence
    method: str
    line: int


def launches(blocks: Sequence[Block]) -> tuple[Launch, ...]:
    """Return the launch commands of a page."""
    return tuple(found for b in blocks if isinstance(b, Fence) and (found := launch_of(b.text)))


def targets(front: FrontMatter, blocks: Sequence[Block], ref: str) -> tuple[Found, ...]:
    """Return the targets that the card names, best evidence first; several of one kind are candidates."""
    found = [*_launched(blocks), *_declared(front), *_said(blocks), *_in_name(ref)]
    unique: dict[str, Found] = {}
    for item in found:
        unique.setdefault(slug(item.value.rsplit("/", 1)[-1]), item)
    return tuple(unique.values())


def method_of(front: FrontMatter, blocks: Sequence[Block], ref: str) -> Found | None:
    """Return the drafting algorithm that the card names: flags, then tags, then its title and repository name, then its text."""
    for launch in (b for b in blocks if isinstance(b, Fence)):
        flag = re.search(
            r"--speculative-algorithm[ =]([\w-]{2,20})|[\"']method[\"']\s?:\s?[\"']([\w-]{2,20})[\"']",
            launch.text.plain,
        )
        if flag and (name := algorithm(flag[1] or flag[2])):
            return Found(name, Evidence.STATED, "named by the launch command", launch.text.line_at(flag.start()))
    headings = [(b.text.plain, b.text.line) for b in blocks if isinstance(b, Heading)][:1]
    described = [
        (b.text.plain, b.text.line) for b in blocks if isinstance(b, Prose) and _DESCRIBES.search(b.text.plain)
    ]
    holds = next((found for b in blocks if isinstance(b, Prose) and (found := _held(b.text))), None)
    several = headings and len(set(_algorithms(headings[0][0]))) > 1
    if holds and several and algorithm(ref) is None:
        return holds
    named = _first_named([(ref, 1), *headings])
    for tag in texts(front.data.get("tags")):
        # a tag may name the target's own method; the drafter's name knows better
        if (name := algorithm(tag)) and (named is None or named.value == name or name == "EAGLE"):
            line = front.lines.get("tags", 1)
            return Found(_precise(name, ref), Evidence.DECLARED, "named by the tags of the front matter", line)
    return named or _first_named(described)


def _held(text: Text) -> Found | None:
    """Return the method of a statement such as "This repository holds the P-EAGLE head"."""
    said = _HOLDS.search(text.plain)
    name = algorithm(said[1]) if said else None
    return Found(name, Evidence.STATED, "named by the text", text.line_at(said.start())) if said and name else None


def _algorithms(text: str) -> Iterator[str]:
    """Yield the methods that a text names, each word by itself."""
    yield from (name for word in re.split(r"[\s,/&]+", text) if (name := algorithm(word)))


def _first_named(spots: Iterable[tuple[str, int]]) -> Found | None:
    found = ((algorithm(text), line) for text, line in spots)
    return next((Found(name, Evidence.STATED, "named by the text", line) for name, line in found if name), None)


def identity_of(front: FrontMatter, blocks: Sequence[Block], ref: str) -> Identity:
    """Return who the card is: its names and its target's as slugs, and its algorithm."""
    titles = [b.text.plain for b in blocks if isinstance(b, Heading) and b.level == 1][:1]
    names = {
        slug(n)
        for text in (ref, *titles)
        for n in (text, text.replace("__", "/").rsplit("/", 1)[-1])
        if len(slug(n)) > 4
    }
    own_repo = slug(ref.replace("__", "/").rsplit("/", 1)[-1])
    for launch in launches(blocks):
        if (own_repo and slug(launch.draft.rsplit("/", 1)[-1]) == own_repo) or not ref:
            names |= {slug(launch.draft), slug(launch.draft.rsplit("/", 1)[-1])}
    goals = {slug(part) for t in targets(front, blocks, ref) for part in (t.value, t.value.rsplit("/", 1)[-1])}
    method = method_of(front, blocks, ref)
    return Identity(frozenset(names - goals - {""}), frozenset(goals - {""}), method.value if method else None)


def _precise(name: str, ref: str) -> str:
    """A tag "eagle" beside a repository named after EAGLE-3 means the latter."""
    named = algorithm(ref)
    return named if named and name == "EAGLE" and named.startswith("EAGLE") else name


def _launched(blocks: Sequence[Block]) -> Iterator[Found]:
    for launch in launches(blocks):
        if launch.target and not re.search(r"^/path|^path/|^your|<", launch.target, re.IGNORECASE):
            yield Found(launch.target, Evidence.STATED, "named by the launch command", launch.line)


def _declared(front: FrontMatter) -> Iterator[Found]:
    """Return base_model: for a drafter it is the target, whatever relation it is labelled with, unless it names a drafter."""
    values = texts(front.data.get("base_model"))
    relation = texts(front.data.get("base_model_relation"))
    for value in values:
        many = len(values) > 1 or bool(relation)
        drafter = algorithm(value) is not None
        method = "front matter base_model, one of several target candidates" if many else "front matter base_model"
        yield Found(
            value,
            Evidence.DECLARED,
            "front matter base_model names a drafter (initial weights?)" if drafter else method,
            front.lines.get("base_model", 1),
        )


def _said(blocks: Sequence[Block]) -> Iterator[Found]:
    for block in blocks:
        patterns = (_FOR, _OF, *([_TITLE] if isinstance(block, Heading) and block.level == 1 else []))
        for text, match in ((t, m) for t in _statements(block) for p in patterns for m in p.finditer(t.plain)):
            group = match.lastindex or 1
            name = match[group].rstrip(".-")
            if name.lower() not in _COMMON and re.search(r"\d", name):
                yield Found(name, Evidence.STATED, "named by the text", text.line_at(match.start(group)))


def _statements(block: Block) -> Iterator[Text]:
    """Yield the texts of a block that may name the target; a list of names and values gives "name: value"."""
    if isinstance(block, Table):
        pairs = (row for row in block.rows if len(row) == 2)
        yield from (Text(f"{name.plain.strip(' :*')}: {value.plain}", value.line) for name, value in pairs)
    elif not isinstance(block, Fence):
        yield block.text


def _in_name(ref: str) -> Iterator[Found]:
    bare = ref.replace("__", "/").rsplit("/", 1)[-1]
    stem = _SUFFIX.sub("", bare)
    if stem != bare and re.search(r"\d", stem):
        yield Found(stem, Evidence.STATED, "read from the repository's name", 1)
