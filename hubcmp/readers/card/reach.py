"""How far a statement reaches: headings, section intros, run-in heads, lead-ins and footnotes bind to the figures they cover."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hubcmp.facts import Scalar
from hubcmp.readers.card import settings
from hubcmp.readers.card.figures import figures
from hubcmp.readers.card.meaning import Meaning, mask, meaning_of, single
from hubcmp.readers.card.page import Block, Fence, Heading, Prose, Table
from hubcmp.readers.card.text import Text
from hubcmp.readers.card.wording import set_named

_USAGE = re.compile(
    r"\b(?:usage|uses?|quick\s?start|get(?:ting)? started|serv(?:e|ing)|launch|deploy\w*|install\w*|how to|example|run(?:ning)? (?:it|with)|inference with|requirements|server|running)\b|使用|部署|快速开始|安装",
    re.IGNORECASE,
)
_TRAINING = re.compile(
    r"\b(?:train\w*|fine-?tun\w*|distill\w*|data(?: mix)?|dataset|recipe|hyper-?param\w*)\b|训练|数据", re.IGNORECASE
)
_SPEC = re.compile(
    r"\b(?:architecture|specifications?|model (?:details|specs?|info\w*|description|overview)|config\.json|files|limitations?|license|citation)\b|架构|模型信息",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"\b(?:eval\w*|benchmark\w*|performance|results?|measur\w*|tested|test|validation|throughput|speed\w*|accept\w*|infer[a-z]*ce settings)\b|性能|评测|测试|结果|接受",
    re.IGNORECASE,
)
_SETTINGS = re.compile(
    r"^\W{0,4}(?:(?:[\w-]{1,14}\s){0,3}(?:setup|settings?|config(?:uration)?s?|conditions?|environment|protocol|methodology)|run on|run with|ran on|evaluated|measured|tested|benchmarked"
    r"|test(?:ed)? (?:on|with)|engine|hardware|target model|verifier|inferenc\w{1,6} (?:framework|backend)|inferencing framework|framework|gpus?|server|environment|(?:judge|eval(?:uation)?|test) set|decoding|sampling|all (?:numbers|figures|results|runs)|(?:numbers|figures|results) (?:are|were|below)|hardware|配置|环境|测试(?:环境|条件|配置)|硬件)\b"
    r"|(?:测试|评测|实验)(?:环境|条件|配置|设置)",
    re.IGNORECASE,
)
_TRAINED = re.compile(
    r"^\W{0,4}(?:training )?data\b|\b(?:(?:re|pre-?)?trained|training(?! (?:distribution|view|split|set))|fine-?tuned|distilled|pre-?trained)\b|训练",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(
    r"^\W{0,4}(?:measured|note|notes|tested|evaluated|all\b|averaged?\b|results|numbers|figures|values|benchmarked|settings?|setup|conditions?|with\b|using\b|\d\b|注|以上|†|‡)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Context:
    """What binds to a block from outside it: settings, the set, the metrics of its caption (nearest first), and where it stands."""

    conditions: Mapping[str, Scalar] = field(default_factory=dict)
    label: str | None = None
    captions: tuple[Meaning, ...] = ()
    place: str = ""


def place_of(heading: str) -> str:
    """Return what a section is about: "measured", "training", "usage", "spec" or ""."""
    for name, pattern in (("measured", _MEASURED), ("training", _TRAINING), ("usage", _USAGE), ("spec", _SPEC)):
        if pattern.search(heading):
            if (
                name == "measured"
                and _TRAINING.search(heading)
                and not re.search(r"valid|result|eval", heading, re.IGNORECASE)
            ):
                continue
            return name
    return ""


class Reach:
    """The reach of every statement on one page; `at(i)` gives the Context of block `i`."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self._paths = _paths(blocks)
        self._title = _title(blocks)
        self._intros = self._find_intros()
        self._settings = [i for i in range(len(blocks)) if self._gives_settings(i)]

    def path(self, i: int) -> tuple[int, ...]:
        """Return the indices of the headings that enclose block `i`, outermost first, without the card's title."""
        return tuple(h for h in self._paths[i] if h != self._title)

    def place(self, i: int) -> str:
        """Return what the nearest telling heading of block `i` says it is about."""
        places = [place_of(self._text(h)) for h in reversed(self.path(i))]
        return next((p for p in places if p), "")

    def at(self, i: int) -> Context:
        """Return what binds to block `i`, the nearest statement winning."""
        layers = self._layers(i)
        conditions: dict[str, Scalar] = {}
        label = None
        for text in layers:
            conditions.update(_binding(text))
            label = set_named(_told(text)) or label
        captions = tuple(meaning_of(text) for text in reversed(layers) if not _states_figures(text))
        return Context(conditions, label, captions, self.place(i))

    def _layers(self, i: int) -> list[str]:
        """Return the texts that bind to block `i`, from general to specific."""
        path = self.path(i)
        texts = [self._text(s) for s in self._settings if s < i and self._covers(s, path)]
        if not path:
            openings = (*self._intros.get(-1, ()), *self._intros.get(self._title, ()))
            texts += [self._text(j) for j in openings if j < i and not self._siblings(j, i)]
        for h in path:
            texts.append(self._text(h))
            if place_of(self._text(h)) not in ("usage", "training"):
                texts += [self._text(j) for j in self._intros.get(h, ()) if j < i and not self._siblings(j, i)]
        texts += [self._text(j) for j in self._after(i)]
        return texts + [self._text(j) for j in (*self._run_in(i), *self._lead_in(i))]

    def _siblings(self, j: int, i: int) -> bool:
        """Whether two blocks are items of a list: one does not introduce the other."""
        a, b = self._blocks[j], self._blocks[i]
        return isinstance(a, Prose) and isinstance(b, Prose) and a.depth > 0 and b.depth > 0

    def _covers(self, s: int, path: tuple[int, ...]) -> bool:
        """Whether settings given by block `s` reach a block below `path`: same parent, unless they belong to training or usage."""
        if self.place(s) in ("usage", "training"):
            return False
        own = self.path(s)
        if own and _SETTINGS.search(self._text(own[-1])):
            own = own[:-1]
        return path[: len(own)] == own and bool(path or not own)

    def _gives_settings(self, i: int) -> bool:
        """Whether a block says that it gives the settings of the runs, or stands below a heading or run-in that does."""
        block = self._blocks[i]
        if not isinstance(block, Prose):
            return False
        path = self.path(i)
        if path and _SETTINGS.search(self._text(path[-1])):
            return True
        lead = next((b for b in reversed(self._blocks[:i]) if not (isinstance(b, Prose) and b.depth)), None)
        under = block.depth > 0 and isinstance(lead, Prose) and bool(_SETTINGS.search(lead.text.plain))
        return (
            under
            or bool(_SETTINGS.search(block.text.plain))
            or not block.depth
            and bool(path)
            and _only_settings(block.text.plain)
        )

    def _find_intros(self) -> dict[int, tuple[int, ...]]:
        """Return {heading: its first paragraph, or the list it starts with}; key -1 is the card before its first heading."""
        intros: dict[int, tuple[int, ...]] = {}
        starts = [-1, *[i for i, b in enumerate(self._blocks) if isinstance(b, Heading)]]
        for start in starts:
            intros[start] = tuple(self._opening(start + 1))
        return intros

    def _opening(self, i: int) -> list[int]:
        found: list[int] = []
        while i < len(self._blocks) and isinstance(block := self._blocks[i], Prose):
            if found and not block.depth:
                break
            found.append(i)
            i += 1
        return found

    def _run_in(self, i: int) -> list[int]:
        """Return the bold run-in head that block `i` stands under, if any."""
        for j in range(i - 1, -1, -1):
            block = self._blocks[j]
            if isinstance(block, Heading):
                return []
            if (
                isinstance(block, Prose)
                and block.lead
                and not block.depth
                and len(block.lead) >= len(block.text.plain.strip()) - 2
            ):
                return [j]
        return []

    def _lead_in(self, i: int) -> list[int]:
        """Return the prose right before a table or fence: one paragraph, or a list with the paragraph that introduces it."""
        block = self._blocks[i]
        if isinstance(block, Heading) or isinstance(block, Prose) and not block.depth:
            return []
        if isinstance(block, Prose):
            return self._list_lead(i)
        found: list[int] = []
        for j in range(i - 1, -1, -1):
            block = self._blocks[j]
            if not isinstance(block, Prose):
                break
            found.insert(0, j)
            if not block.depth:
                break
        return found

    def _list_lead(self, i: int) -> list[int]:
        """Return the paragraph that introduces the list of item `i` ("Subset of MTBench:"), when it ends with a colon."""
        lead = next((j for j in range(i - 1, -1, -1) if not (isinstance(b := self._blocks[j], Prose) and b.depth)), -1)
        block = self._blocks[lead] if lead >= 0 else None
        return [lead] if isinstance(block, Prose) and block.text.plain.rstrip().endswith((":", "：")) else []

    def _after(self, i: int) -> list[int]:
        """Return the footnotes right after a table."""
        following = self._blocks[i + 1 : i + 3] if isinstance(self._blocks[i], Table) else ()
        found = []
        for j, block in enumerate(following, i + 1):
            if not isinstance(block, Prose) or not _FOOTNOTE.search(block.text.plain):
                break
            found.append(j)
        return found

    def _text(self, i: int) -> str:
        block = self._blocks[i]
        return "" if isinstance(block, Table | Fence) else block.text.plain


def _binding(text: str) -> dict[str, Scalar]:
    """Return the settings of a statement that bind: what it says about training does not."""
    return single(settings.find(_told(text)))


def _told(text: str) -> str:
    """Return a statement without its sentences about training."""
    return " ".join(s.plain.strip() for s in Text(text, 1).sentences() if not about_training(s.plain))


def about_training(sentence: str) -> bool:
    """Whether a sentence tells how the drafter was trained, not how it was measured."""
    return bool(_TRAINED.search(sentence)) and not _MEASURED.search(sentence)


def _only_settings(text: str) -> bool:
    """Whether a short paragraph holds settings and little else ("3-token draft", "vLLM 0.20.0, TP=8")."""
    found = settings.find(text)
    return (
        bool(found)
        and len(text) < 200
        and len(re.findall(r"[^\W\d]{2,}", mask(text, found))) <= 2
        and not _states_figures(text)
    )


def _states_figures(text: str) -> bool:
    """Whether a text gives figures of its own, and so is no caption for others."""
    return any(f.form != "plain" or "." in f.raw for f in figures(mask(text, settings.find(text))))


def _paths(blocks: Sequence[Block]) -> list[tuple[int, ...]]:
    """Return for each block the indices of its enclosing headings; a heading's own path leaves itself out."""
    paths: list[tuple[int, ...]] = []
    open_: list[int] = []
    for i, block in enumerate(blocks):
        if isinstance(block, Heading):
            while open_ and _level(blocks[open_[-1]]) >= block.level:
                open_.pop()
        paths.append(tuple(open_))
        if isinstance(block, Heading):
            open_.append(i)
    return paths


def _level(block: Block) -> int:
    return block.level if isinstance(block, Heading) else 7


def _title(blocks: Sequence[Block]) -> int:
    """Return the index of the card's title: a first heading of the top level that stands alone there; -1 when there is none."""
    heads = [i for i, b in enumerate(blocks) if isinstance(b, Heading)]
    first = heads[0] if heads else -1
    alone = sum(_level(blocks[i]) == 1 for i in heads) == 1
    return first if heads and _level(blocks[first]) == 1 and (alone or len(heads) > 1) else -1
