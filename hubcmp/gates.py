"""Gates (`--fail-on`): when a comparison should fail a build, said in one line.

    accept_length < 2.0                   a line that no drafter may cross (also <=, >, >=)
    accept_length[MT-Bench] drops > 5%    a change against the baseline, as a share of it, on one benchmark
    params_trainable rises > 100M         a change in the metric's own unit; `changes` means either way
    ... if comparable                     a line, too, is judged only where the figure may be set against the baseline's
    ... with n >= 500                     only figures that rest on that many samples
    ... or unknown                        what cannot be decided fails as well

`judgement.py` says how each comes out.
"""

import re
from dataclasses import dataclass
from typing import Literal, get_args

from hubcmp.errors import UsageError
from hubcmp.metrics import METRICS, Metric
from hubcmp.units import parse_quantity

Test = Literal["<", "<=", ">", ">=", "drops", "rises", "changes"]
_GRAMMAR = re.compile(
    r"(?P<metric>\w+) ?(?:\[(?P<label>[^\]]+)\] ?)?"
    r"(?P<test><=|>=|<|>|(?P<word>drops|rises|changes) ?>) ?(?P<limit>[^ ]+)(?P<rest>.*)"
)
_CLAUSE = re.compile(r" (?:(?P<comparable>if comparable)|with n >= ?(?P<samples>\d{1,9})|(?P<strict>or unknown))")
_TESTS: dict[str, Test] = {test: test for test in get_args(Test)}
_SIZES = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_EXAMPLE = 'write for example "accept_length < 2.0" or "accept_length[MT-Bench] drops > 5% with n >= 100"'


@dataclass(frozen=True, slots=True)
class Gate:
    """One parsed gate: it fails where `test` holds against `limit`, which is a share of the baseline when `relative`.

    `label` is the benchmark ("": all). `samples` is the least number of samples (0: any). `strict`: not decided fails, too.
    """

    text: str
    metric: Metric
    label: str
    test: Test
    limit: float
    relative: bool = False
    comparable: bool = False
    samples: int = 0
    strict: bool = False

    @property
    def change(self) -> bool:
        """Whether the gate is about a change against the baseline, not about a line."""
        return self.test in ("drops", "rises", "changes")


def parse(text: str) -> Gate:
    """Return the Gate of one expression. Raises UsageError, one line of advice with the metrics there are."""
    found = _GRAMMAR.fullmatch(" ".join(text.replace(" %", "%").split()))
    if found is None:
        raise _wrong(text, f"{_EXAMPLE}; metrics: {', '.join(METRICS)}")
    if found["metric"] not in METRICS:
        raise _wrong(text, f"{found['metric']} is no metric; there are: {', '.join(METRICS)}")
    metric = METRICS[found["metric"]]
    limit, relative = _limit(text, found["limit"], metric, change=bool(found["word"]))
    clauses = _clauses(text, found["rest"])
    samples = int(clauses.get("samples", 0))
    if samples and metric.exact:
        raise _wrong(text, f"{metric.name} is counted, not sampled; leave out 'with n >= {samples}'")
    return Gate(
        text=text,
        metric=metric,
        label=(found["label"] or "").strip(),
        test=_TESTS[found["word"] or found["test"]],
        limit=limit,
        relative=relative,
        comparable="comparable" in clauses,
        samples=samples,
        strict="strict" in clauses,
    )


def _wrong(text: str, advice: str) -> UsageError:
    return UsageError(f"--fail-on {text!r}: {advice}")


def _limit(text: str, written: str, metric: Metric, change: bool) -> tuple[float, bool]:
    """Return the limit and whether it is a share of the baseline: 2.0, 5%, 100M, 6GB, 1.2x."""
    share, rate = written.endswith("%"), metric.style == "rate"
    if share and not change and not rate:
        raise _wrong(text, f"a share needs a baseline; write {metric.name} drops > {written} or rises > {written}")
    value = _number(text, written, metric) / (100 if share else 1)
    if value < 0 or (rate and not change and value > 1):
        raise _wrong(text, "the limit is out of range; a rate is written as a fraction (0.5) or a percentage (50%)")
    return value, share and change


def _number(text: str, written: str, metric: Metric) -> float:
    """Read a number with the unit that its metric allows."""
    bare, scale = written.removesuffix("%"), 1
    if metric.style == "bytes" and written[-2:] in _SIZES:
        bare, scale = written[:-2], _SIZES[written[-2:]]
    if metric.style == "ratio":
        bare = bare.removesuffix("x")
    try:
        return parse_quantity(bare) * scale
    except ValueError as error:
        raise _wrong(text, str(error)) from None


def _clauses(text: str, rest: str) -> dict[str, str]:
    """Return what follows the limit, by name."""
    found: dict[str, str] = {}
    while rest:
        clause = _CLAUSE.match(rest)
        if clause is None:
            raise _wrong(text, f"{rest.strip()!r} is not understood; there are: if comparable, with n >= N, or unknown")
        found |= {name: value for name, value in clause.groupdict().items() if value}
        rest = rest[clause.end() :]
    return found
