"""JSON, the contract for other programs: keys in a fixed order, no NaN, infinite bounds as null.

It may be read on a terminal, so what would steer one or hide text is written as an escape, which reads back as itself.
"""

import json
import math
import re

from hubcmp.renderers import Renderer
from hubcmp.renderers._blocks import View

_UNSEEN = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Controls, marks of direction and width, tags, and halves of characters."""


def draw(view: View) -> str:
    """Return the view's data as indented JSON."""
    text = json.dumps(_finite(view.data), indent=2, ensure_ascii=False, allow_nan=False)
    return _UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text) + "\n"


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
