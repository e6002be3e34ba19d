"""A loopback Hub with a few repositories, and an environment that knows no other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub import Blob, Hub, Repository, header

CONFIG = b'{"architectures": ["LlamaForCausalLMEagle3"], "hidden_size": 8}'
CARD = b"# A drafter\n\nAccept length 3.1.\n"
TENSORS = {"fc.weight": {"dtype": "BF16", "shape": [8, 1 << 27], "data_offsets": [0, 1 << 31]}}


def repositories() -> dict[str, Repository]:
    plain: dict[str, Blob | bytes] = {"config.json": CONFIG, "README.md": CARD, "model.safetensors": header(TENSORS)}
    shards = {f"model-0000{n}-of-00003.safetensors": header(TENSORS) for n in (1, 2, 3)}
    return {
        "org/drafter": Repository(dict(plain)),
        "org/bare": Repository({"model.safetensors": header(TENSORS)}),
        "org/sharded": Repository(
            {"config.json": CONFIG, "model.safetensors.index.json": b"{" + b" " * 400_000, **shards}
        ),
        "org/pickle": Repository(
            {"config.json": CONFIG, "pytorch_model.bin": Blob(b"PK\3\4" + b"z" * 60, 850_000_000)}
        ),
        "org/gated": Repository(dict(plain), gated=True),
        "org/private": Repository(dict(plain), private=True),
        "org/old": Repository({}, renamed="org/drafter"),
    }


@pytest.fixture(scope="session")
def _servers() -> Iterator[Hub]:
    with Hub(repositories()) as hub:
        yield hub


@pytest.fixture
def hub(_servers: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    """The Hub without faults, as the only endpoint, with empty caches and nobody logged in."""
    _servers.reset()
    _servers.repositories = repositories()
    monkeypatch.setenv("HF_ENDPOINT", _servers.endpoint)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    return _servers
