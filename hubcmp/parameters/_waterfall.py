"""A card's claim, the Hub's own count and the header on one scale: trainable + frozen = stored, + buffers = all elements."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hubcmp.facts import Fact
from hubcmp.parameters._ledger import Ledger

_STATED = 6
"""Claims of one card that are set against the header."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what it counts, the figure, and what it adds to the step before (0 for a figure to be matched)."""

    name: str
    value: int
    adds: int = 0
    note: str = ""


def agreements(ledger: Ledger, claims: Sequence[Fact] = ()) -> tuple[str, ...]:
    """Return in words what each stated count of a drafter agrees with, and the rest of those that agree with nothing."""
    steps = waterfall(ledger, claims) if ledger.entries else ()
    rests = [
        f"; {after.value:+,} against that is {after.note}" if after.name == "rest" else ""
        for after in (*steps[1:], Step("", 0))
    ]
    return tuple(
        f"{step.name} ({step.value:,}) {step.note}{rest}"
        for step, rest in zip(steps, rests, strict=False)
        if step.note.startswith("agrees")
    )


def waterfall(ledger: Ledger, claims: Sequence[Fact] = ()) -> tuple[Step, ...]:
    """Return the steps of one ledger, then the Hub's count and the card's claims, each with the step it agrees with.

    A stated figure that agrees with none is followed by its rest to the nearest step.
    """
    steps = tuple(_steps(ledger))
    stated = [(name, float(value), str(value)) for name, value in ledger.declared.items() if "size" not in name]
    stated += [(f"the card: {c.raw or f'{c.number:,.0f}'}", c.number, c.raw) for c in claims[:_STATED]]
    return (*steps, *(row for item in stated for row in _match(*item, steps)))


def _steps(ledger: Ledger) -> Iterator[Step]:
    """Yield the ledger's own counts, each with what it adds to the one before."""
    status, elements, around = ledger.by_status, ledger.elements_total_all_tensors, ledger.outside.elements
    trained, frozen, unknown = status["trainable"], status["frozen_copy"], status.get("unknown", 0)
    extra = elements - ledger.params_total_excl_buffers
    yield Step("trainable", trained, trained)
    yield Step("with frozen copies", trained + frozen, frozen)
    if unknown:
        yield Step("with parameters of unknown status", trained + frozen + unknown, unknown)
    yield Step("every stored element, buffers included", elements, extra, _packing(ledger, extra))
    if around:
        yield Step("with what else lies in the repository", elements + around, around)


def _packing(ledger: Ledger, extra: int) -> str:
    """Say how far packing makes the elements fewer than the parameters; "" when nothing is packed."""
    buffers = ledger.by_status["buffer"]
    return f"{buffers:+,} in tables and scales, {extra - buffers:+,} by packing" if extra != buffers else ""


def _match(name: str, value: float, raw: str, steps: Sequence[Step]) -> Iterator[Step]:
    """Yield a stated figure with the step that it rounds from; otherwise with its rest to the nearest."""
    tolerance, figure = _half_unit(value, raw), round(value)
    counted = [step for step in steps if step.value] or steps
    nearest = min(counted, key=lambda step: abs(step.value - value))
    if abs(nearest.value - value) <= tolerance:
        yield Step(name, figure, note=f"agrees with: {nearest.name}")
        return
    yield Step(name, figure, note=f"agrees with none; the nearest is: {nearest.name}")
    rest = figure - nearest.value
    yield Step("rest", rest, rest, "not explained by the header")


def _half_unit(value: float, raw: str) -> float:
    """Half a unit of the last digit written: "0.24B" stands for 235 to 245 million."""
    match = re.search(r"\d[\d,]*(?:\.(\d+))?", raw)
    if not match or not value:
        return 0.0
    written = float(match[0].replace(",", ""))
    return 0.5 * 10.0 ** -len(match[1] or "") * value / written if written else 0.0
