"""Small real checkpoints: an EAGLE-3 drafter and its target on disk, with whatever fault a test puts in."""

import json
import struct
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hubcmp import api
from hubcmp.answers import Checked
from hubcmp.checks import Finding
from hubcmp.renderers._views.check import word
from tests.drafters import Size, eagle3
from tests.weights import encode, header

SMALL = Size(h=16, i=32, v=100, d=40, nh=2, kv=2, hd=8)
KEPT = [*range(0, 80, 2)]
"""The target's ids that the draft vocabulary keeps."""
OFFSETS = [target - own for own, target in enumerate(KEPT)]
CONFIG = {
    **SMALL.config(draft_vocab_size=SMALL.d, max_position_embeddings=8192, rope_theta=10000.0, tie_word_embeddings=False),
    "architectures": ["LlamaForCausalLMEagle3"], "model_type": "llama",
    "eagle_config": {"eagle_aux_hidden_state_layer_ids": [2, 18, 33]},
}  # fmt: skip
TARGET = {
    **SMALL.config(max_position_embeddings=8192, rope_theta=10000.0), "num_hidden_layers": 36, "architectures": ["Qwen3ForCausalLM"],
    "model_type": "qwen3",
}  # fmt: skip
Shapes = Mapping[str, tuple[int, ...]]


def write(
    folder: Path, config: Mapping[str, object], shapes: Shapes, offsets: list[int], dtypes: Mapping[str, str]
) -> Path:
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    entries = header(shapes, {"d2t": "I64", "t2d": "BOOL", **dtypes})
    size = max((e["data_offsets"][1] for e in entries.values()), default=0)
    content = bytearray(size)
    for name, raw in (
        ("d2t", struct.pack(f"<{len(offsets)}q", *offsets)),
        ("t2d", bytes(i in KEPT for i in range(SMALL.v))),
    ):
        if name in entries and dtypes.get(name, "") in ("", "I64", "BOOL"):
            start, end = entries[name]["data_offsets"]
            content[start:end] = raw[: end - start]
    (folder / "model.safetensors").write_bytes(encode(entries) + bytes(content))
    return folder


@pytest.fixture
def check(tmp_path: Path) -> Callable[..., Checked]:
    """Check a drafter that differs from a sound one in what is given; a setting of None is left out."""

    def checked(
        shapes: Shapes | None = None, offsets: list[int] | None = None, dtypes: Mapping[str, str] | None = None, engine: str = "",
        target: Mapping[str, object] | None = None, **settings: object,
    ) -> Checked:  # fmt: skip
        config = {key: value for key, value in {**CONFIG, **settings}.items() if value is not None}
        folder = write(
            tmp_path / "ckpt", config, eagle3(SMALL) if shapes is None else shapes, offsets or OFFSETS, dtypes or {}
        )
        place = ""
        if target is not None:
            place = str(write(tmp_path / "target", {**TARGET, **target}, {}, [], {}))
        return api.check([str(folder)], target=place, engine=engine).items[0]

    return checked


def said(checked: Checked, check: str) -> list[tuple[str, str]]:
    """What one check says: (fault, warning, not checked or fine; its sentence)."""
    return [(word(f), f.message.partition(": ")[2]) for f in checked.findings if f.check == check]


def faults(checked: Checked) -> list[Finding]:
    return [f for f in checked.findings if word(f) == "fault"]
