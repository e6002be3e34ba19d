"""The corridor, in order: text -> Reference -> Bundle -> Readings -> Drafter -> Comparison -> text."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from hubcmp import extras, gates
from hubcmp._proving import Proof, proof_against, unproven
from hubcmp.document import Bundle
from hubcmp.errors import Problem, UsageError
from hubcmp.exchange import benchmark as benchmark
from hubcmp.exchange import published as published
from hubcmp.exchange import saved as saved
from hubcmp.exchange import saved_drafter, training_samples
from hubcmp.exchange import schema as schema
from hubcmp.loading import fetch_all
from hubcmp.redaction import repository_id
from hubcmp.reference import Reference, parse
from hubcmp.sources import Access
from hubcmp.sources._environment import hubs
from hubcmp.sources.local import alike, there

if TYPE_CHECKING:
    from hubcmp.answers import Benchmarks, Card, Cards, Checked, Checks, Depths, Ledgers
    from hubcmp.comparison import Comparison
    from hubcmp.drafter import Drafter, Extra
    from hubcmp.facts import Fact
    from hubcmp.measurements import Benchmark
    from hubcmp.parameters import Ledger
    from hubcmp.project import Project
    from hubcmp.readers import Reading
    from hubcmp.renderers import Answer

ONLINE = Access()
CARD_WORDS = "hubcmp.readers.card.whole"
"""The card reader's vocabulary takes longest to import, so that it is imported while requests travel."""


def reference(text: str) -> Reference:
    """Return what `text` refers to. Raises UsageError when it refers to nothing."""
    try:
        return parse(text, there, hubs())
    except UsageError as error:
        near = alike(text)
        raise UsageError(f"{error}; did you mean {near}?" if near else str(error)) from None


def load(text: str, access: Access = ONLINE, extra: "Extra | None" = None) -> "Drafter":
    """Return one drafter: fetched, read, accounted and assembled.

    What a source cannot give is an Unknown or a Problem of the Drafter; only a reference that makes no sense raises UsageError.
    """
    return drafter_of(_fetched([text], access, "hubcmp.drafter")[0], extra)


def _fetched(texts: Sequence[str], access: Access, *needed: str) -> list[Bundle]:
    """Fetch all references at once, and import what reading them needs while the requests travel."""
    return fetch_all([reference(text) for text in texts], access, needed)


def drafter_of(bundle: Bundle, extra: "Extra | None" = None, proof: Proof = unproven) -> "Drafter":
    """Return the drafter that a bundle describes: read and assembled; `proof` settles the status of its ledger."""
    from hubcmp.drafter import Extra, assemble
    from hubcmp.readers import read_all

    readings = read_all(bundle.documents)
    return assemble(bundle, readings, proof(_ledger(bundle, readings), bundle), extra or Extra())


def _ledger(bundle: Bundle, readings: "Sequence[Reading]") -> "Ledger":
    """Account for a bundle's tensors, with its config beside them."""
    from hubcmp.parameters import account

    return account(bundle, next((reading for reading in readings if reading.format == "config"), None))


def compare(
    refs: "Sequence[str | Drafter]",
    *,
    bench: Sequence[str] = (),
    plain: Sequence[str] = (),
    fact: Sequence[str] = (),
    given: Sequence[str] = (),
    train_data: Sequence[str] = (),
    baseline: str = "",
    fail_on: Sequence[str] = (),
    target: str = "",
    rows: int = 0,
    access: Access = ONLINE,
) -> "Comparison":
    """Return the comparison of two or more references or loaded drafters; all are set against the first, or `baseline`.

    `bench`, `plain`, `fact` and `given` are texts as on the command line: "[REF=]SOURCE", "[REF=]METRIC=VALUE",
    "[REF=]KEY=VALUE,..."; `train_data` are "[REF=]FILE", whose samples are counted; `fail_on` are gates such as
    "accept_length < 2.0"; `target` names the model they draft for, whose bytes settle what is a frozen copy (`rows` of each
    matrix, by default what 1 MB holds). Raises UsageError for fewer than two references or a text that makes no sense.
    """
    if len(refs) < 2:
        raise UsageError("compare needs at least two references, for example: hubcmp compare org/name ./ckpt")
    judged = [gates.parse(text) for text in fail_on]
    refs = [saved_drafter(ref, refs) or ref for ref in refs]
    names = [ref if isinstance(ref, str) else ref.ref for ref in refs]
    first = extras.position(baseline, names)
    planned = extras.plan(names, bench, plain, fact, given, train_data)
    extras.refuse_twins(names, planned.positions)
    for position in planned.positions:
        if not isinstance(refs[position], str):
            raise UsageError(f"{names[position]} is loaded already; give its runs, facts and conditions to load()")
    texts = [ref for ref in refs if isinstance(ref, str)]
    bundles = iter(_fetched(texts, access, "hubcmp.judgement", CARD_WORDS))
    from hubcmp.comparison import compare as compare_drafters
    from hubcmp.judgement import judge

    added = extras.collect(planned, names, partial(benchmark, offline=access.offline), training_samples)
    other = _target(target, access)
    proof, model = proof_against(other, _params, rows), drafter_of(other) if other else None
    drafters = [drafter_of(next(bundles), added.get(i), proof) if isinstance(r, str) else r for i, r in enumerate(refs)]
    answer = compare_drafters([drafters[first], *drafters[:first], *drafters[first + 1 :]], model)
    return replace(answer, gates=judge(judged, answer))


def project(content: bytes, name: str) -> "Project":
    """Return what a hubcmp.toml asks for; `name` is its path, which relative paths in it start from. Raises UsageError."""
    from hubcmp.project import parse

    return parse(content, name, there)


def compare_project(plan: "Project", access: Access = ONLINE) -> "Comparison":
    """Return the comparison that a hubcmp.toml describes. Raises UsageError like `compare`."""
    return compare(
        plan.refs,
        bench=plan.bench,
        plain=plan.plain,
        fact=plan.fact,
        given=plan.given,
        train_data=plan.train_data,
        baseline=plan.baseline,
        fail_on=plan.fail_on,
        access=access,
    )


def card(texts: Sequence[str], access: Access = ONLINE) -> "Cards":
    """Return what the card of each reference or card file claims."""
    bundles = _fetched(texts, access.only("card"), "hubcmp.answers", CARD_WORDS)
    from hubcmp.answers import Cards

    return Cards(tuple(_card(bundle) for bundle in bundles), _private(bundles))


def _private(bundles: Sequence[Bundle]) -> tuple[str, ...]:
    """Return the ids of the repositories that their Hub calls private."""
    found = [bundle for bundle in bundles if bundle.info.get("private") is True]
    return tuple(dict.fromkeys(name for bundle in found for name in (repository_id(bundle.ref), bundle.resolved)))


def _card(bundle: Bundle) -> "Card":
    from hubcmp.answers import Card
    from hubcmp.readers import read_all

    found = [document for document in bundle.documents if document.source.path.lower().endswith((".md", ".markdown"))]
    readings = read_all(found[:1], "card")
    path = found[0].source.path if found else ""
    problems = bundle.problems
    if bundle.kind == "file" and not found and not problems:
        problems = (Problem(bundle.ref, "is no card; a card is a Markdown file such as README.md", failed=True),)
    return Card(bundle.ref, bundle.revision, path, readings[0] if readings else None, problems)


def params(
    texts: Sequence[str], access: Access = ONLINE, tensors: bool = False, target: str = "", rows: int = 0
) -> "Ledgers":
    """Return the parameter ledger of each reference; `tensors` keeps one row per tensor in the answer.

    `target` names the model that they draft for: `rows` of embedding and head are then compared with its bytes.
    """
    bundles = _fetched(texts, access.only("card", "config", "weights"), "hubcmp.answers", "hubcmp.parameters")
    from hubcmp.answers import Ledgers

    proof = proof_against(_target(target, access), _params, rows)
    items = tuple(proof(_params(bundle), bundle) for bundle in bundles)
    return Ledgers(items, tensors, _private(bundles), tuple(map(_claims, bundles)))


def _claims(bundle: Bundle) -> "tuple[Fact, ...]":
    """Return how many parameters the card of a bundle says that the drafter has; a card that cannot be read says nothing."""
    from hubcmp.readers.card import may_count

    reading = _card(bundle).reading if any(map(may_count, bundle.documents)) else None
    return tuple(f for f in reading.facts if (f.metric, f.subject) == ("parameters", "self")) if reading else ()


def _target(target: str, access: Access) -> Bundle | None:
    """Return the bundle of the model that drafters draft for, None when none is named."""
    if not target:
        return None
    found = _fetched([target], access.only("config", "weights"))[0]
    return replace(found, part=found.part or "target")


def _params(bundle: Bundle) -> "Ledger":
    from hubcmp.readers import read_all

    readings = read_all(bundle.documents, "config")
    ledger = _ledger(bundle, readings)
    unread = (problem for reading in readings for problem in reading.problems if problem.failed)
    return replace(ledger, problems=(*bundle.problems, *unread, *ledger.problems))


def bench(texts: Sequence[str], plain: Sequence[str] = (), access: Access = ONLINE) -> "Benchmarks":
    """Return each benchmark source in the normal form, the further ones set against the first.

    Two scrapes of one server are written BEFORE..AFTER; `plain` are sources of the same server without speculation.
    """
    items, plains = ([benchmark(text, access.offline) for text in part] for part in (texts, plain))
    return measured(items, plains)


def measured(items: "Sequence[Benchmark]", plains: "Sequence[Benchmark]" = ()) -> "Benchmarks":
    """Return measurements set against the first of them, and against plain decoding."""
    from hubcmp.answers import Benchmarks
    from hubcmp.trials import speeds, trials

    return Benchmarks(tuple(items), trials(items), tuple(plains), speeds(items, plains))


def check(texts: Sequence[str], access: Access = ONLINE, target: str = "", engine: str = "") -> "Checks":
    """Return what every check says of each drafter, held against its target and the engine ("sglang", "vllm") where given."""
    bundles = _fetched(texts, access, "hubcmp.checks")
    model = load(target, access.only("config")) if target else None
    from hubcmp.answers import Checks

    items = tuple(_checked(bundle, model, engine) for bundle in bundles)
    return Checks(items, target, engine, model.problems if model else (), _private(bundles))


def _checked(bundle: Bundle, target: "Drafter | None", engine: str) -> "Checked":
    from hubcmp.answers import Checked
    from hubcmp.checks import Subject, examine
    from hubcmp.parameters import token_map

    drafter = drafter_of(bundle)
    kept = token_map(drafter.ledger, bundle) if drafter.ledger else None
    return Checked(drafter, examine(Subject(drafter, target, engine, kept)))


def depth(lengths: Sequence[tuple[float, int]], to: int) -> "Depths":
    """Return accept lengths, each with the draft depth it was measured at, brought to depth `to`.

    Raises UsageError for lengths that their depth does not allow, and for depths at which the decay was never seen.
    """
    from hubcmp.answers import depths

    try:
        return depths(lengths, to)
    except ValueError as error:
        raise UsageError(str(error)) from None


def render(answer: "Answer", format: str = "markdown", redact_private: bool = False) -> str:
    """Return an answer as text in one format: "markdown", "terminal", "html", "json" or "csv".

    Local paths are shown relative to the current folder; `redact_private` hides them and the ids of private repositories.
    """
    from hubcmp.renderers import render as draw

    return draw(published(answer, redact_private), format)
