"""The view of `hubcmp card`: what each card claims, every figure with its line."""

from collections.abc import Iterable, Mapping

from hubcmp.answers import Card, Cards
from hubcmp.facts import Fact, Scalar, Span
from hubcmp.readers import Reading
from hubcmp.renderers._blocks import Block, Bullets, Cell, Paragraph, Report, Section, Table, View

SCHEMA_VERSION = 1
_SETTLED = ("target_model", "algorithm", "license")


def view(answer: Cards) -> View:
    """Return the JSON contract (a list, one object per card) and the report of the cards."""
    return View([_data(card) for card in answer.items], lambda: _layout(answer))


def _data(card: Card) -> dict[str, object]:
    reading = card.reading or Reading("card")
    source = _source_of(card)
    return {
        "schema_version": SCHEMA_VERSION,
        "source": source,
        "revision": card.revision,
        "metadata": dict(reading.metadata),
        "claims": [_claim(f) for f in reading.facts if isinstance(f.value, Span)],
        "target": _named(reading.facts, "target_model"),
        "algorithm": _named(reading.facts, "algorithm"),
        "problems": [{"where": p.where, "message": p.message} for p in (*card.problems, *reading.problems)],
    }


def _source_of(card: Card) -> str:
    return card.ref if not card.path or card.ref.endswith(card.path) else f"{card.ref} {card.path}"


def _claim(fact: Fact) -> dict[str, object]:
    """Return one claim with exactly the keys of the contract; optional ones only where they apply."""
    claim: dict[str, object] = {
        "metric": fact.metric,
        "value": _number(fact),
        "unit": fact.unit,
        "benchmark": fact.label,
        "subject": fact.subject,
        "conditions": dict(fact.conditions),
        "line": line_of(fact),
        "raw": fact.raw,
    }
    optional = {
        "position": fact.position,
        "stat": fact.stat,
        "approx": fact.approx or None,
        "nearby": dict(fact.nearby) or None,
    }
    return claim | {key: value for key, value in optional.items() if value is not None}


def line_of(fact: Fact) -> int:
    """Return the line of the card on which a fact stands, 0 when its source gives none."""
    word, _, number = (fact.sources[0].where if fact.sources else "").partition(" ")
    return int(number) if word == "line" and number.isdigit() else 0


def _number(fact: Fact) -> int | float:
    number = fact.number
    return int(number) if float(number).is_integer() else number


def _named(facts: Iterable[Fact], metric: str) -> dict[str, object] | None:
    """Return a settled text with its evidence and line; further candidates are listed beside it."""
    found = [f for f in facts if f.metric == metric]
    if not found:
        return None
    best = found[0]
    named: dict[str, object] = {
        "value": best.text,
        "evidence": best.evidence.word,
        "method": best.method,
        "line": line_of(best),
    }
    if len(found) > 1:
        named["candidates"] = [
            {"value": f.text, "evidence": f.evidence.word, "method": f.method, "line": line_of(f)} for f in found[1:]
        ]
    return named


def _layout(answer: Cards) -> Report:
    return Report("What the cards claim", tuple(Section(card.ref, tuple(_blocks(card))) for card in answer.items))


def _blocks(card: Card) -> Iterable[Block]:
    """Yield a card's blocks: what it drafts for, its claims as a table, its problems."""
    reading = card.reading or Reading("card")
    claims = [f for f in reading.facts if isinstance(f.value, Span)]
    known = [_sentence(f) for f in reading.facts if f.metric in _SETTLED]
    if known:
        yield Bullets(tuple(Cell(text) for text in known))
    if claims:
        yield Table(
            ("metric", "value", "benchmark", "subject", "conditions", "line"),
            tuple(map(_row, claims)),
            numeric=frozenset({1, 5}),
        )
    else:
        yield Paragraph(
            "There is no card to read."
            if card.reading is None
            else "No claim was found in the text of this card; figures in pictures cannot be read."
        )
    problems = tuple(str(p) for p in (*card.problems, *reading.problems))
    if problems:
        yield Paragraph("Problems:")
        yield Bullets(tuple(Cell(text) for text in problems))


def _sentence(fact: Fact) -> str:
    return f"{fact.metric.replace('_', ' ')}: {fact.text} ({fact.method}, line {line_of(fact)})"


def _note(fact: Fact) -> str:
    """Return what a figure is when it is no plain measurement: "about", "up to", "estimate" ..."""
    about = "about" if fact.approx and fact.raw[:1] not in "~≈" else ""
    return ", ".join(word for word in (about, fact.stat) if word)


def _row(fact: Fact) -> tuple[Cell, ...]:
    position = f" position {fact.position}" if fact.position is not None else ""
    value = Cell(fact.raw or str(_number(fact)), "approximate" if fact.approx else "value", _note(fact))
    cells = (
        Cell(fact.label or "not stated", "value" if fact.label else "unknown"),
        Cell(fact.subject),
        Cell(_conditions(fact.conditions)),
    )
    return (Cell(fact.metric.replace("_", " ") + position), value, *cells, Cell(str(line_of(fact))))


def _conditions(conditions: Mapping[str, Scalar]) -> str:
    return ", ".join(f"{key}={value}" for key, value in conditions.items()) or "none bound"
