"""What the user adds on the command line: whose run, fact or condition it is, and what it says."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hubcmp.errors import Problem, UsageError
from hubcmp.facts import Evidence, Fact, Scalar, Source, Span
from hubcmp.metrics import METRICS
from hubcmp.units import parse_quantity

if TYPE_CHECKING:
    from hubcmp.drafter import Extra
    from hubcmp.measurements import Benchmark

CONDITIONS = {
    "benchmark": str, "target_model": str, "target_dtype": str, "engine": str, "engine_version": str, "hardware": str, "dataset": str,
    "num_steps": int, "topk": int, "num_draft_tokens": int, "num_speculative_tokens": int, "block_size": int, "draft_length": int,
    "batch_size": int, "concurrency": int, "tensor_parallel": int, "prompts": int, "max_tokens": int, "temperature": float,
    "thinking": bool, "includes_bonus": bool,
}  # fmt: skip
"""Conditions that --given takes, with the kind of value each holds."""
MOST = {"rate": 1.0, "length": 1e6, "ratio": 1e6}
"""Largest figure of a style of metric that is taken for one; other styles have COUNTABLE."""
COUNTABLE = 10**18
LARGEST = 10**9
"""Largest number of a condition."""


Owned = tuple[tuple[int, str], ...]
"""(position of the REF, what is said of it) of each text of an option."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What was added to which REF, checked before anything is fetched or opened."""

    benches: Owned = ()
    plains: Owned = ()
    train_data: Owned = ()
    facts: tuple[tuple[int, Fact], ...] = ()
    given: Mapping[int, Mapping[str, Scalar]] | None = None

    @property
    def positions(self) -> list[int]:
        """The REFs that something was added to."""
        said = (*self.benches, *self.plains, *self.train_data, *self.facts)
        return sorted({at for at, _ in said} | set(self.given or {}))


def plan(
    refs: Sequence[str],
    bench: Sequence[str] = (),
    plain: Sequence[str] = (),
    fact: Sequence[str] = (),
    given: Sequence[str] = (),
    train_data: Sequence[str] = (),
) -> Plan:
    """Return what these texts add to which REF. Raises UsageError for a metric, key or value that makes no sense."""
    said = _owned("--given", given, refs)
    return Plan(
        benches=_owned("--bench", bench, refs),
        plains=_owned("--plain", plain, refs),
        train_data=_owned("--train-data", train_data, refs),
        facts=tuple((at, stated(text, refs[at])) for at, text in _owned("--fact", fact, refs)),
        given={at: conditions(",".join(text for i, text in said if i == at)) for at, _ in said},
    )


def collect(
    added: Plan,
    refs: Sequence[str],
    open_source: "Callable[[str], Benchmark]",
    count: Callable[[str], Fact | Problem],
) -> "dict[int, Extra]":
    """Return {position of the REF: what was added to it}; `open_source` reads a benchmark, `count` the samples of training data."""
    from hubcmp.drafter import Extra

    samples = [(at, count(text)) for at, text in added.train_data]
    return {
        at: Extra(
            benches=tuple(_opened(text, refs, open_source) for i, text in added.benches if i == at),
            plains=tuple(_opened(text, refs, open_source) for i, text in added.plains if i == at),
            facts=tuple(figure for i, figure in (*added.facts, *samples) if i == at and isinstance(figure, Fact)),
            given=(added.given or {}).get(at, {}),
            problems=tuple(problem for i, problem in samples if i == at and isinstance(problem, Problem)),
        )
        for at in added.positions
    }


def _owned(option: str, texts: Sequence[str], refs: Sequence[str]) -> Owned:
    """Return whose each text of an option is, and what it says. Raises UsageError when it says nothing."""
    found: list[tuple[int, str]] = []
    for text in texts:
        at, rest = owner(text, refs)
        if not rest.strip():
            raise UsageError(f"{option} {text}: nothing is given; hubcmp compare --help shows how it is written")
        if (at, rest) in found:
            raise UsageError(f"{option} {text}: it is given twice, and would count twice; leave one out")
        found.append((at, rest))
    return tuple(found)


def _opened(text: str, refs: Sequence[str], open_source: "Callable[[str], Benchmark]") -> "Benchmark":
    """Return a benchmark; one that names neither a file nor a REF says which REFs there are."""
    found = open_source(text)
    head, equals, _ = text.partition("=")
    if not equals or found.runs or "://" in head:  # an address may hold a password and has parameters of its own
        return found
    hint = f"; {head} is no REF of this call either, those are {' and '.join(refs)}"
    return replace(found, problems=tuple(replace(p, message=p.message + hint) for p in found.problems))


def owner(text: str, refs: Sequence[str]) -> tuple[int, str]:
    """Return (position of the REF, rest) of "[REF=]rest": a REF verbatim, or its number from 1; without one the last REF."""
    for at, ref in enumerate(refs):
        if text.startswith(f"{ref}="):
            return at, text[len(ref) + 1 :]
    head, equals, rest = text.partition("=")
    if equals and head.isdecimal() and 1 <= int(head) <= len(refs):
        return int(head) - 1, rest
    return len(refs) - 1, text


def stated(text: str, ref: str) -> Fact:
    """Return the Fact of "METRIC=VALUE". Raises UsageError with the metrics there are."""
    metric, equals, value = text.partition("=")
    if not equals or metric not in METRICS:
        raise UsageError(f"--fact {text}: write METRIC=VALUE with a metric of: {', '.join(METRICS)}")
    number = _number(value, f"--fact {text}")
    unit = METRICS[metric].unit
    most = MOST.get(METRICS[metric].style, COUNTABLE)
    if not 0 <= number <= most:
        raise UsageError(f"--fact {text}: {METRICS[metric].title} lies between 0 and {most:,.0f}")
    source = Source(ref=ref, path="command line")
    return Fact(metric, Span.of(number), unit, Evidence.GIVEN, "given by the user", (source,), raw=value)


def _number(text: str, where: str) -> float:
    """Read a number with its unit: 37K, 1.24x, +24% (as a ratio 1.24), 83% (as a fraction)."""
    try:
        if text.endswith("%"):
            share = parse_quantity(text[:-1]) / 100
            return 1 + share if text[0] in "+-" else share
        return parse_quantity(text.removesuffix("x"))
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from None


def conditions(text: str) -> dict[str, Scalar]:
    """Return the conditions of "KEY=VALUE,...". Raises UsageError with the keys there are."""
    found: dict[str, Scalar] = {}
    for pair in text.split(","):
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or key not in CONDITIONS or not value:
            raise UsageError(f"--given {text}: write KEY=VALUE,... with keys of: {', '.join(CONDITIONS)}")
        said = _condition(key, value)
        if found.setdefault(key, said) != said:
            raise UsageError(f"--given {text}: {key} is given twice, as {found[key]} and as {said}; give it once")
    return found


def _condition(key: str, text: str) -> Scalar:
    kind = CONDITIONS[key]
    if kind is bool:
        if text.lower() not in ("true", "false", "yes", "no"):
            raise UsageError(f"--given {key}={text}: write true or false")
        return text.lower() in ("true", "yes")
    try:
        value: Scalar = kind(text)
    except ValueError:
        raise UsageError(f"--given {key}={text}: write a {'whole ' if kind is int else ''}number") from None
    least = 1 if kind is int else 0
    if kind is not str and not least <= float(value) <= LARGEST:
        raise UsageError(f"--given {key}={text}: write a number from {least} to {LARGEST:,}")
    return value


def length_at_depth(text: str) -> tuple[float, int]:
    """Return (accept length, draft depth) of "L@K". Raises UsageError for anything else."""
    length, at, depth = text.partition("@")
    try:
        if not at or not 1 <= int(depth) <= 64 or not 1 <= float(length) <= 65:
            raise ValueError
        return float(length), int(depth)
    except ValueError:
        raise UsageError(
            f"{text}: write an accept length and the draft depth it was measured at, such as 2.10@2"
        ) from None


def refuse_twins(names: Sequence[str], added: Sequence[int]) -> None:
    """Raise UsageError for a reference given twice with nothing that tells the two apart."""
    for at, name in enumerate(names):
        if name in names[:at] and at not in added and names.index(name) not in added:
            number = names.index(name) + 1
            raise UsageError(
                f"{name} is given twice; name another drafter, or tell two runs of it apart by number: "
                f"--bench {number}=before.log --bench {at + 1}=after.log"
            )


def position(baseline: str, names: Sequence[str]) -> int:
    """Return which reference the others are set against: one of them verbatim, or its number; the first when none is named."""
    if baseline in names or not baseline:
        return names.index(baseline) if baseline else 0
    if baseline.isdecimal() and 1 <= int(baseline) <= len(names):
        return int(baseline) - 1
    raise UsageError(
        f"--baseline {baseline}: name one of the references of this call, or its number (1 to {len(names)})"
    )
