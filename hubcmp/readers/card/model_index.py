"""Results in a card's metadata: the `model-index` of the front matter, as the Hub defines it, with the line of each value.

Only what measures speculation is a claim; scores of tasks are not. The newer `.eval_results` files hold scores of registered
benchmarks alone and so nothing to read here.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from hubcmp.errors import Problem
from hubcmp.readers.card.claims import MEASURED, Claim
from hubcmp.readers.card.figures import figures
from hubcmp.readers.card.front_matter import FrontMatter
from hubcmp.readers.card.launch import metric_of_key
from hubcmp.readers.card.settings import find
from hubcmp.readers.card.subjects import SELF
from hubcmp.readers.card.values import metric_for, value_of

MAX_RESULTS = 1000
"""Results of one card's metadata that are read."""


def claims_of_index(front: FrontMatter) -> Iterator[Claim]:
    """Yield the figures of `model-index` that measure speculation, each with its data set as label."""
    for metric, label in islice(_entries(front.model_index), MAX_RESULTS):
        yield from _claim(metric, label, front.first_line)


def _entries(index: Node | None) -> Iterator[tuple[Node, str | None]]:
    """Yield every metric of every result with the name of its data set."""
    for result in (result for model in _items(index) for result in _items(_under(model, "results"))):
        dataset = _under(result, "dataset")
        label = _text(_under(dataset, "name")) or _text(_under(dataset, "type"))
        yield from ((metric, label) for metric in _items(_under(result, "metrics")))


def problem_of_index(front: FrontMatter, where: str) -> Iterator[Problem]:
    """Yield why a `model-index` cannot be read, when it is no list of models with results."""
    index = front.model_index
    if index is not None and not any(_items(_under(model, "results")) for model in _items(index)):
        line = front.first_line + index.start_mark.line
        yield Problem(f"{where} line {line}", "model-index not read: it is no list of models with results")


def _claim(metric: Node, label: str | None, first_line: int) -> Iterator[Claim]:
    """Yield the claim of one entry {type, name, value}, or nothing when it measures something else."""
    value = _under(metric, "value")
    names = [name for key in ("name", "type") if (name := _text(_under(metric, key)))]
    named = next((m for name in names if (m := metric_of_key(name)) in MEASURED), None)
    found = figures(_text(value) or "")
    fitting = metric_for(found[0], named) if named and len(found) == 1 else None
    number = value_of(found[0], fitting) if fitting else None
    if value is not None and fitting and number is not None:
        conditions = {s.key: s.value for name in names for s in find(name) if s.key}
        line = first_line + value.start_mark.line
        yield Claim(fitting, number, found[0].raw, line, -1, label, SELF, conditions)


def _items(node: Node | None) -> Sequence[Node]:
    return node.value if isinstance(node, SequenceNode) else ()


def _under(node: Node | None, key: str) -> Node | None:
    pairs = node.value if isinstance(node, MappingNode) else ()
    return next((value for name, value in pairs if name.value == key), None)


def _text(node: Node | None) -> str | None:
    return str(node.value).strip() or None if isinstance(node, ScalarNode) else None
