"""The environment of any Hub tool."""

from pathlib import Path

import pytest

from hubcmp.errors import UsageError
from hubcmp.sources._environment import endpoint, hf_cache, hf_home, hubs, is_offline


@pytest.mark.parametrize("text", ["", "   ", "\t\n", None])
def test_blank_endpoint_is_unset(text: str | None) -> None:
    environment = {} if text is None else {"HF_ENDPOINT": text}
    assert endpoint(environment) == "https://huggingface.co"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://hf-mirror.com/", "https://hf-mirror.com"),
        (" https://mirror.example/hub/ ", "https://mirror.example/hub"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_endpoint(text: str, address: str) -> None:
    assert endpoint({"HF_ENDPOINT": text}) == address
    assert hubs({"HF_ENDPOINT": text}) == (address,)


@pytest.mark.parametrize(
    "text",
    [
        "mirror",
        "ftp://mirror",
        "http://mirror.example",
        "http://10.0.0.1",
        "https://",
        "https://u:p@mirror",
        "https://[::1",
        "https://m?x=1",
    ],
)
def test_unsafe_endpoint_is_refused_by_name(text: str) -> None:
    with pytest.raises(UsageError, match="HF_ENDPOINT"):
        endpoint({"HF_ENDPOINT": text})
    assert hubs({"HF_ENDPOINT": text}) == ()


def test_offline() -> None:
    assert is_offline({"HF_HUB_OFFLINE": "1"})
    assert is_offline({"TRANSFORMERS_OFFLINE": "yes"})
    assert not is_offline({"HF_HUB_OFFLINE": "0"})
    assert not is_offline({})


def test_folders() -> None:
    assert hf_home({"HF_HOME": "/a"}) == Path("/a")
    assert hf_home({"XDG_CACHE_HOME": "/x"}) == Path("/x/huggingface")
    assert hf_home({}) == Path("~/.cache/huggingface").expanduser()
    assert hf_cache({"HF_HOME": "/a"}) == Path("/a/hub")
    assert hf_cache({"HF_HUB_CACHE": "/b", "HF_HOME": "/a"}) == Path("/b")
