"""Claims of all readers -> one Drafter: the strongest fact per figure, rivals kept, what nobody told named."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hubcmp.acceptance import Run, draft_length, simulated
from hubcmp.document import Bundle
from hubcmp.errors import Problem
from hubcmp.facts import Evidence, Fact, Scalar, Span, Unknown, derive
from hubcmp.labels import canonical
from hubcmp.measurements import Benchmark
from hubcmp.metrics import METRICS
from hubcmp.parameters import Ledger
from hubcmp.readers import Reading

SIMULATED = "other:simulated acceptance"
"""Whose figures are those of a run in which a server setting made up the acceptance: not the drafter's."""


@dataclass(frozen=True, slots=True)
class Extra:
    """What the user adds to a drafter on the command line: measured runs, plain runs, own figures, conditions.

    `problems` are those of files that the user named.
    """

    benches: tuple[Benchmark, ...] = ()
    plains: tuple[Benchmark, ...] = ()
    facts: tuple[Fact, ...] = ()
    given: Mapping[str, Scalar] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Drafter:
    """One drafter in the normal form.

    settings: {name: strongest fact} of what is not a figure to compare (target_model, hidden_size, aux_layer_ids ...).
    figures: the strongest fact per figure. rivals: weaker facts about the same figure. given: conditions from the user.
    private: whether the Hub says that the repository is.
    """

    ref: str
    kind: str
    revision: str
    resolved: str
    ledger: Ledger | None
    settings: Mapping[str, Fact]
    figures: tuple[Fact, ...]
    rivals: tuple[Fact, ...] = ()
    unknowns: tuple[Unknown, ...] = ()
    runs: tuple[Run, ...] = ()
    plains: tuple[Run, ...] = ()
    given: Mapping[str, Scalar] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    private: bool = False

    def own(self, metric: str) -> tuple[Fact, ...]:
        """Return this drafter's own figures of one metric (subject "self"), in the order they were found."""
        return tuple(f for f in self.figures if f.metric == metric and f.subject == "self")

    def run_of(self, fact: Fact) -> Run | None:
        """Return the measured run that a figure of this drafter was taken from, None when it was not measured here."""
        return next((r for r in self.runs if r.source in fact.sources and r.dataset == fact.label), None)

    def setting(self, name: str) -> str | None:
        """Return a setting as text, or None when no source states it."""
        fact = self.settings.get(name)
        return None if fact is None else plain_text(fact)


def plain_text(fact: Fact) -> str:
    """Return any fact's value as short text: 7168, "[2, 30, 58]", "bfloat16"."""
    if isinstance(fact.value, Span):
        return f"{fact.value.middle:g}" if fact.value.middle % 1 else f"{fact.value.middle:.0f}"
    return str(list(fact.value)) if isinstance(fact.value, tuple) else str(fact.value)


def assemble(bundle: Bundle, readings: Sequence[Reading], ledger: Ledger, extra: Extra) -> Drafter:
    """Return the Drafter of one bundle from what its documents say, its ledger and what the user added."""
    runs = tuple(run for bench in extra.benches for run in bench.runs if _concerns(run, bundle))
    plains = tuple(run for bench in extra.plains for run in bench.runs)
    facts = [fact for reading in readings for fact in reading.facts]
    facts += ledger.facts()
    facts += [fact for run in runs for fact in run_facts(run)]
    facts += [*extra.facts, *speedup_facts(runs, plains)]
    figures, rivals = strongest(f for f in facts if f.metric in METRICS)
    return Drafter(
        ref=bundle.ref,
        kind=bundle.kind,
        revision=bundle.revision,
        resolved=bundle.resolved or bundle.ref,
        ledger=ledger,
        settings=_settings(facts),
        figures=figures,
        rivals=rivals,
        unknowns=(
            *_made_up(runs),
            *bundle.unknowns,
            *_unreached(bundle),
            *(u for reading in readings for u in reading.unknowns),
            *_no_weights(bundle, ledger),
        ),
        runs=runs,
        plains=plains,
        given=dict(extra.given),
        problems=_problems(bundle, readings, ledger, extra),
        private=bundle.info.get("private") is True,
    )


def _concerns(run: Run, bundle: Bundle) -> bool:
    """Whether a run is this drafter's: a table of many drafters says whose each row is."""
    whose = run.reported.get("drafter")
    return whose is None or str(whose) in (bundle.ref.partition("@")[0], bundle.resolved)


def _strangers(bench: Benchmark, bundle: Bundle) -> Iterator[Problem]:
    """Say so when a table of many drafters holds no row of this one."""
    if bench.runs and not any(_concerns(run, bundle) for run in bench.runs):
        known = ", ".join(sorted({str(run.reported["drafter"]) for run in bench.runs})[:4])
        yield Problem(bench.text, f"no row is about {bundle.ref}; it holds {known}", failed=True)


def _unreached(bundle: Bundle) -> Iterator[Unknown]:
    """Say of every part of a drafter that it was not checked, when its source failed before it gave anything."""
    failed = next((p.message for p in bundle.problems if p.failed), "")
    if failed and not bundle.documents and not bundle.unknowns:
        yield from (Unknown(part, failed, "not checked") for part in ("config", "card", "weights"))


def _no_weights(bundle: Bundle, ledger: Ledger) -> tuple[Unknown, ...]:
    """Say why there is no ledger, unless a source has said so already."""
    if ledger.entries or any(u.metric == "weights" for u in (*bundle.unknowns, *_unreached(bundle))):
        return ()
    why = next((p.message for p in ledger.problems), f"{bundle.ref} holds no weight file that could be read")
    return (Unknown("weights", why, "unreadable" if ledger.problems else "absent"),)


def _made_up(runs: Sequence[Run]) -> Iterator[Unknown]:
    """Say why runs with simulated acceptance give the drafter no figure."""
    for run in runs[:1] if runs and all(map(simulated, runs)) else ():
        why = "acceptance was simulated by a server setting, which is not the drafter's merit"
        yield from (
            Unknown(m, why, "not applicable", (run.source,)) for m in ("accept_length", "accept_rate", "speedup")
        )


def _problems(bundle: Bundle, readings: Sequence[Reading], ledger: Ledger, extra: Extra) -> tuple[Problem, ...]:
    """Gather what went wrong anywhere, in the order of the corridor; a ledger's warnings are problems of its weights."""
    own = (*bundle.problems, *(p for reading in readings for p in reading.problems), *ledger.problems)
    found = [problem.of(bundle.ref) for problem in own]
    found += [Problem(f"{bundle.ref} weights", warning) for warning in ledger.warnings]
    found += [p for bench in extra.benches for p in (*bench.problems, *_strangers(bench, bundle))]
    found += [p for bench in extra.plains for p in _plain_problems(bench)]
    found += extra.problems
    return tuple(dict.fromkeys(found))


def _plain_problems(bench: Benchmark) -> Iterator[Problem]:
    """Yield what is wrong with a plain run: that it does not speculate is its purpose, that it does would be a mix-up."""
    yield from (p for p in bench.problems if p.failed)
    if any(run.accept_length is not None for run in bench.runs):
        yield Problem(
            bench.text,
            "this run speculates, so it is no plain decoding; give the server's run without speculation",
            failed=True,
        )


def _settings(facts: Iterable[Fact]) -> dict[str, Fact]:
    """Keep the strongest fact per setting; of equals the first found wins (config before card)."""
    kept: dict[str, Fact] = {}
    for fact in facts:
        if fact.metric in METRICS or fact.metric.startswith("params."):
            continue
        if fact.metric not in kept or fact.evidence > kept[fact.metric].evidence:
            kept[fact.metric] = _without_folders(fact) if fact.metric == "target_model" else fact
    return kept


def _without_folders(fact: Fact) -> Fact:
    """Return a target that is named by somebody's own path, such as /models/NAME, by its last part."""
    path = fact.value if isinstance(fact.value, str) else ""
    if not path.startswith(("/", "./", "~", "..")):
        return fact
    return replace(
        fact, value=path.rstrip("/").rpartition("/")[2], method=f"{fact.method}, as the last part of a local path"
    )


def strongest(facts: Iterable[Fact]) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """Split facts into the strongest per figure and their weaker rivals, each in the order found."""
    ranked = sorted(facts, key=lambda fact: -fact.evidence)
    groups: list[list[Fact]] = []
    for fact in ranked:
        home = next((g for g in groups if g[0].evidence > fact.evidence and _same_figure(g[0], fact)), None)
        if home is None:
            groups.append([fact])
        else:
            home.append(fact)
    return tuple(g[0] for g in groups), tuple(f for g in groups for f in g[1:])


def _same_figure(a: Fact, b: Fact) -> bool:
    """Whether two facts state one figure: same metric, subject, benchmark, position, and no decisive condition against it."""
    if (a.metric, a.subject, a.position, canonical(a.label or "")) != (
        b.metric,
        b.subject,
        b.position,
        canonical(b.label or ""),
    ):
        return False
    depths = draft_length(a.conditions), draft_length(b.conditions)
    if None not in depths and depths[0] != depths[1]:
        return False
    axes = METRICS[a.metric].decisive
    return all(a.conditions[k] == b.conditions[k] for k in axes if k in a.conditions and k in b.conditions)


def run_facts(run: Run) -> tuple[Fact, ...]:
    """Return the figures of one benchmark result as facts, under the settings its source shows."""
    values = (
        ("accept_length", run.accept_length, "tokens/step", "1 + accepted / verify steps"),
        ("accept_rate", run.draft_acceptance_rate, "fraction", "accepted / drafted"),
        ("throughput_tok_s", throughput(run), "tok/s", _throughput_method(run)),
        ("speedup", _reported_speedup(run), "x", "as the source reports it"),
    )
    return tuple(
        Fact(
            metric=metric,
            value=Span.of(value),
            unit=unit,
            evidence=Evidence.OBSERVED,
            method=f"{run.kind}: {method}" + (f", weighted by {run.weighting}" if run.weighting else ""),
            sources=(run.source,),
            subject=SIMULATED if simulated(run) else "self",
            label=run.dataset,
            conditions=run_conditions(run),
            raw=f"{value:.4g}",
        )
        for metric, value, unit, method in values
        if value is not None
    )


def _reported_speedup(run: Run) -> float | None:
    value = run.reported.get("speedup")
    return value if isinstance(value, float) and value > 0 else None


def _throughput_method(run: Run) -> str:
    return "whole run" if run.output_throughput is not None else "mean of decode lines"


def run_conditions(run: Run) -> dict[str, Scalar]:
    """Return a run's settings as conditions; an engine's own accept length always counts the bonus token."""
    stated: dict[str, Scalar | None] = {
        "engine": run.engine,
        "engine_version": run.engine_version,
        "batch_size": run.batch_size,
        "includes_bonus": True,
        "rate_kind": "accepted/drafted",
    }
    return {key: value for key, value in stated.items() if value is not None} | dict(run.conditions)


def throughput(run: Run) -> float | None:
    """Return a run's tokens per second: of the whole run, else of its decode lines."""
    return run.output_throughput if run.output_throughput is not None else run.decode_throughput


def speedup_facts(runs: Sequence[Run], plains: Sequence[Run]) -> tuple[Fact, ...]:
    """Return the speedup over plain decoding, when one run and one plain run of a like server are given."""
    if len(runs) != 1 or len(plains) != 1 or plains[0].accept_length is not None or simulated(runs[0]):
        return ()
    if unlike_settings(runs[0], plains[0]):
        return ()
    run, plain = runs[0], plains[0]
    kinds = [(r.output_throughput is not None, r.decode_throughput is not None) for r in (run, plain)]
    mine, base = throughput(run), throughput(plain)
    if not mine or not base or kinds[0] != kinds[1]:
        return ()
    inputs = [f for r in (run, plain) for f in run_facts(r) if f.metric == "throughput_tok_s"]
    method = f"{mine:.1f} / {base:.1f} tok/s"
    return (
        derive("speedup", Span.of(mine / base), "x", method, inputs, label=run.dataset, conditions=run_conditions(run)),
    )


def unlike_settings(run: Run, plain: Run) -> tuple[str, ...]:
    """Return the server arguments, apart from the speculative ones, in which two servers differ: none means alike."""
    names = sorted({*run.settings, *plain.settings})
    return tuple(
        name
        for name in names
        if not name.startswith("speculative_") and run.settings.get(name) != plain.settings.get(name)
    )
