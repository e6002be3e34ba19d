"""The straight line from a card's text to its claims: page, identity, claims per block, nearby settings."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from hubcmp.facts import Scalar
from hubcmp.labels import canonical
from hubcmp.readers.card import settings
from hubcmp.readers.card.claims import CONDITION_KEYS, DRAFT_KEYS, MEASURED, Claim
from hubcmp.readers.card.columns import table_in, table_of_lines
from hubcmp.readers.card.footnotes import noted, notes_after
from hubcmp.readers.card.front_matter import FrontMatter
from hubcmp.readers.card.grid import grid_of
from hubcmp.readers.card.launch import Launch, launch_of
from hubcmp.readers.card.legend import explained, legend
from hubcmp.readers.card.model_index import claims_of_index
from hubcmp.readers.card.page import Block, Fence, Heading, Prose, Table
from hubcmp.readers.card.places import about_training
from hubcmp.readers.card.printed import claims_of_fence
from hubcmp.readers.card.prose import claims_of_sentence
from hubcmp.readers.card.reach import Context, Reach
from hubcmp.readers.card.sentence import metric_spoken_of
from hubcmp.readers.card.sizes import claims_of_counts
from hubcmp.readers.card.subjects import BASELINE, SELF, Identity
from hubcmp.readers.card.tables import claims_of_table
from hubcmp.readers.card.target import identity_of
from hubcmp.readers.card.text import Text
from hubcmp.readers.card.vocabulary import BASELINE_RE, algorithm, metrics

_NOT_FROM = {"training": CONDITION_KEYS - DRAFT_KEYS, "spec": frozenset({"target_dtype"})}
"""Settings that say nothing about measuring when they stand in a section about training or about the weights."""
MAX_CLAIMS = 5000
"""Claims of one card that are read; ten times what the longest real one makes."""
LISTED = 3
"""Repositories of drafters in tables from which a page that is none of them is a list."""
MAX_SETS = 200
"""Names of sets that are carried from a card's tables into its prose."""
_NAME_OF_A_SET = re.compile(r"[^\W\d][\w .+/-]{2,40}$")
MAX_LEAD = 100
"""Characters of a line that says whose the results below it are."""
MAX_BETWEEN = 20
"""Blocks that may stand between a launch command and its results."""
_NEVER_NEARBY = frozenset({"prompts", "dataset", "target_model", "rate_kind", "includes_bonus"})


@dataclass(frozen=True, slots=True)
class CardPage:
    """A parsed card: its front matter, blocks, reach of statements and identity."""

    front: FrontMatter
    blocks: tuple[Block, ...]
    reach: Reach
    identity: Identity
    launches: Mapping[int, Launch]


def page_of(front: FrontMatter, blocks: tuple[Block, ...], ref: str) -> CardPage:
    """Return a parsed card with its identity; `ref` is the repository's or file's name."""
    launches = {i: found for i, b in enumerate(blocks) if isinstance(b, Fence) and (found := launch_of(b.text))}
    return CardPage(front, blocks, Reach(blocks), identity_of(front, blocks, ref), launches)


def claims_of_page(page: CardPage) -> tuple[Claim, ...]:
    """Return every claim of a card in order of lines, with bound conditions and, for measured ones of its own, nearby settings."""
    meanings = legend(page.blocks)
    tabled = _tabled(page)
    sets = _tabled_sets(tabled.values())
    every = (claim for i in range(len(page.blocks)) for claim in tabled.get(i) or _claims_of_block(page, i, sets))
    foreign = _lists_drafters(page)
    found = [explained(claim, meanings) for claim in islice(chain(claims_of_index(page.front), every), MAX_CLAIMS)]
    values = _stated_settings(page.blocks, page.reach)
    stated = {
        key: next(iter(seen.values())) for key, seen in values.items() if len(seen) == 1 and key in CONDITION_KEYS
    }
    in_words = any("draft_tokens_in_words" in claim.conditions for claim in found)
    spoken = _draft_token_numbers(page.blocks) if in_words else frozenset()
    finished = (_finished(claim, stated, spoken) for claim in found)
    kept = (_of_a_list(claim) if foreign else claim for claim in finished)
    return tuple(sorted((claim for claim in kept if claim is not None), key=lambda c: c.line))


def _lists_drafters(page: CardPage) -> bool:
    """Whether a page lists drafters by repository and is none of them: neither its name nor its title names a method."""
    title = next((b.text.plain for b in page.blocks if isinstance(b, Heading)), "")
    if algorithm(title) or any(algorithm(name) for name in page.identity.names):
        return False
    cells = (cell.plain.strip() for b in page.blocks if isinstance(b, Table) for row in b.rows for cell in row)
    return len({cell for cell in cells if "/" in cell and " " not in cell and algorithm(cell)}) >= LISTED


def _of_a_list(claim: Claim) -> Claim | None:
    """Return a figure of a page that is no drafter's: none of them is its own, and what it counts is nobody's."""
    if claim.subject != SELF:
        return claim
    return replace(claim, subject="other:not named", nearby={}) if claim.metric in MEASURED else None


def _tabled(page: CardPage) -> dict[int, tuple[Claim, ...]]:
    """Return the claims of each table by its block, up to what a card may claim at most."""
    found: dict[int, tuple[Claim, ...]] = {}
    left = MAX_CLAIMS
    for i, block in enumerate(page.blocks):
        if isinstance(block, Table):
            found[i] = tuple(islice(_table(page, block, i), left))
            left -= len(found[i])
    return found


def _tabled_sets(tabled: Iterable[tuple[Claim, ...]]) -> frozenset[str]:
    """Return the names of what the card's tables measured, to be known in its prose."""
    labels = {claim.label.strip() for claim in chain.from_iterable(tabled) if claim.label}
    return frozenset(sorted(n for n in labels if _NAME_OF_A_SET.match(n) and canonical(n) != "mean")[:MAX_SETS])


def _claims_of_block(page: CardPage, i: int, sets: frozenset[str]) -> Iterator[Claim]:
    """Yield the claims of a block that is no table."""
    block = page.blocks[i]
    if isinstance(block, Fence):
        if i not in page.launches and (table := table_in(block)):
            yield from _table(page, table, i)
        elif i not in page.launches:
            yield from claims_of_fence(block, page.reach.at(i), page.identity, _ran_before(page, i), i)
    elif isinstance(block, Prose):
        yield from _prose(page, block, i, sets)
    elif isinstance(block, Heading) and i > 0:
        yield from claims_of_sentence(block.text, Context(place=page.reach.place(i)), page.identity, i)


def _prose(page: CardPage, block: Prose, i: int, sets: frozenset[str]) -> Iterator[Claim]:
    if not any(c.isdigit() for c in block.text.plain):
        return
    if table := table_of_lines(block.text):
        yield from _table(page, table, i)
        return
    context = replace(page.reach.at(i), sets=sets)
    spoken_of = _spoken_of(page.blocks, i)
    for sentence in block.text.sentences():
        yield from claims_of_sentence(sentence, context, page.identity, i, spoken_of, block.depth > 0)
        spoken_of = metric_spoken_of(sentence.plain) or spoken_of


def _spoken_of(blocks: Sequence[Block], i: int) -> str:
    """Return the metric spoken of before a block: by the paragraph before it, or by the first of its list that names one."""
    block, spoken = blocks[i], ""
    for j in range(i - 1, max(-1, i - 1 - MAX_BETWEEN), -1):
        before = blocks[j]
        if not (isinstance(block, Prose) and isinstance(before, Prose) and before.depth == block.depth):
            break
        named = [m.metric for sentence in before.text.sentences() for m in metrics(sentence.plain)]
        spoken = next((metric for metric in named if metric.startswith("accept")), named[-1] if named else spoken)
        if not block.depth or spoken.startswith("accept"):
            break
    return spoken


def _table(page: CardPage, table: Table, i: int) -> Iterator[Claim]:
    """Read a list of names and values as sentences, anything else as a grid."""
    grid = grid_of(noted(table, notes_after(page.blocks, i)), page.identity)
    context = page.reach.at(i)
    if grid.pairs:
        for line in _pair_lines(table):
            yield from claims_of_sentence(line, context, page.identity, i)
        return
    yield from claims_of_table(grid, context, page.identity, i)
    yield from claims_of_counts(grid, page.identity, i)


def _pair_lines(table: Table) -> Iterator[Text]:
    """Turn the rows of a list of names and values into "name: value"."""
    for row in table.rows:
        name, value = row[0], row[1]
        if name.plain.strip() and value.plain.strip():
            yield Text(f"{name.plain.strip(' :')}: {value.plain}", value.line)


def _ran_before(page: CardPage, i: int) -> str | None:
    """Return whose results a block holds: of plain decoding when the line before says so, else of the command run before it."""
    before = page.blocks[i - 1] if i else None
    if isinstance(before, Prose) and len(before.text.plain) < MAX_LEAD and BASELINE_RE.search(before.text.plain):
        return BASELINE
    return _launched_before(page, i)


def _launched_before(page: CardPage, i: int) -> str | None:
    """Return the drafter whose command was run before a block of results, when it is not the card's own."""
    for j in range(i - 1, max(-1, i - 1 - MAX_BETWEEN), -1):
        if isinstance(page.blocks[j], Heading):
            break
        launch = page.launches.get(j)
        if launch and launch.draft:
            name = "".join(c for c in launch.draft.rsplit("/", 1)[-1].casefold() if c.isalnum())
            return SELF if name in page.identity.names else f"other:{launch.draft}"
    return None


def _stated_settings(blocks: Sequence[Block], reach: Reach) -> dict[str, dict[str, Scalar]]:
    """Return the values that each setting has on the whole card."""
    values: dict[str, dict[str, Scalar]] = {}
    for i, block in enumerate(blocks):
        for text in _nearby_texts(block, reach.place(i)):
            for s in settings.find(text):
                if s.key not in _NEVER_NEARBY | _NOT_FROM.get(reach.place(i), frozenset()):
                    values.setdefault(s.key, {}).setdefault(str(s.value).lower(), s.value)
    return values


def _draft_token_numbers(blocks: Sequence[Block]) -> frozenset[Scalar]:
    """Return every number that the card gives as num_draft_tokens, to settle "4 draft tokens" in words."""
    found = (s for b in blocks for text in _texts(b) for s in settings.find(text))
    return frozenset(s.value for s in found if s.key == "num_draft_tokens")


def _texts(block: Block) -> Iterator[str]:
    if isinstance(block, Table):
        yield from (cell.plain for row in block.rows for cell in row)
    elif isinstance(block, Fence):
        yield from block.text.plain.split("\n")
    else:
        yield from (s.plain for s in block.text.sentences())


def _nearby_texts(block: Block, place: str) -> Iterator[str]:
    """Yield the sentences whose settings may stand near a figure: none about training, none inside tables of results."""
    if isinstance(block, Fence):
        yield from block.text.plain.split("\n")
    elif isinstance(block, Table):
        yield from (f"{row[0].plain}: {row[1].plain}" for row in block.rows if len(row) == 2)
    else:
        yield from (s.plain for s in block.text.sentences() if place == "training" or not about_training(s.plain))


def _finished(claim: Claim, stated: Mapping[str, Scalar], spoken: Collection[Scalar]) -> Claim:
    """Settle the subject, keep only known keys, and add nearby settings to measured figures of the card's own drafter."""
    subject = claim.subject or SELF
    conditions = _known(claim.conditions, spoken)
    if claim.metric not in MEASURED:
        return replace(claim, subject=subject, conditions={k: v for k, v in conditions.items() if k == "dataset"})
    if subject == BASELINE:
        conditions = {k: v for k, v in conditions.items() if k not in DRAFT_KEYS}
    nearby = {k: v for k, v in stated.items() if k not in conditions} if subject == SELF else {}
    return replace(claim, subject=subject, conditions=conditions, nearby=nearby)


def _known(conditions: Mapping[str, Scalar], spoken: Collection[Scalar]) -> dict[str, Scalar]:
    """Keep the known keys; "4 draft tokens" in words means num_draft_tokens where the card gives that the same number."""
    words = conditions.get("draft_tokens_in_words")
    key = "num_draft_tokens" if words in spoken else "num_speculative_tokens"
    renamed = {key if k == "draft_tokens_in_words" else k: v for k, v in conditions.items()}
    return {k: v for k, v in renamed.items() if k in CONDITION_KEYS and v != ""}
