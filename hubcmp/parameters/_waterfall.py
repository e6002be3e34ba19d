"""A card's claim, the Hub's own count and the header on one scale: trainable + frozen = stored, + buffers = all elements."""

import re
from dataclasses import dataclass

from hubcmp.facts import Fact
from hubcmp.parameters._ledger import Ledger


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what it counts, the figure, and what it adds to the step before (0 for a figure to be matched)."""

    name: str
    value: float
    adds: int = 0
    note: str = ""


def waterfall(ledger: Ledger, claim: Fact | None = None) -> tuple[Step, ...]:
    """Return the steps of one ledger, the Hub's count and the card's claim each matched to the step it agrees with."""
    status = ledger.by_status
    trained, frozen, unknown = status["trainable"], status["frozen_copy"], status.get("unknown", 0)
    extra = ledger.elements_total_all_tensors - ledger.params_total_excl_buffers
    steps = (
        Step("trainable", trained, trained),
        Step("with frozen copies", trained + frozen, frozen),
        *((Step("with parameters of unknown status", trained + frozen + unknown, unknown),) if unknown else ()),
        Step("every stored element, buffers included", ledger.elements_total_all_tensors, extra),
    )
    stated = [(name, float(value), str(value)) for name, value in ledger.declared.items() if "size" not in name]
    if claim is not None:
        stated.append(("card", claim.number, claim.raw or f"{claim.number:.0f}"))
    return (*steps, *(_match(name, value, raw, steps) for name, value, raw in stated))


def _match(name: str, value: float, raw: str, steps: tuple[Step, ...]) -> Step:
    """Find the step that a stated figure rounds from; otherwise name the rest to the nearest."""
    tolerance = _half_unit(value, raw)
    for step in steps:
        if abs(step.value - value) <= tolerance:
            return Step(name, value, note=f"agrees with: {step.name}")
    nearest = min(steps, key=lambda step: abs(step.value - value))
    return Step(name, value, round(value - nearest.value), f"rest to the nearest ({nearest.name}); not explained")


def _half_unit(value: float, raw: str) -> float:
    """Half a unit of the last digit written: "0.24B" stands for 235 to 245 million."""
    match = re.search(r"\d[\d,]*(?:\.(\d+))?", raw)
    if not match or not value:
        return 0.0
    written = float(match[0].replace(",", ""))
    return 0.5 * 10.0 ** -len(match[1] or "") * value / written if written else 0.0
