"""JSON, the contract for other programs: keys in a fixed order, no NaN, infinite bounds as null."""

import json
import math

from hubcmp.renderers import Renderer
from hubcmp.renderers._blocks import View


def draw(view: View) -> str:
    """Return the view's data as indented JSON."""
    return json.dumps(_finite(view.data), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: object) -> object:
    """Replace infinities by null and whole floats by ints, all the way down."""
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float):
        return _number(value)
    return value


def _number(value: float) -> float | int | None:
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) < 2**53 else value


PLUGIN = Renderer(endings=(".json",), draw=draw)
