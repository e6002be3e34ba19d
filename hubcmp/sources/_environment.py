"""The environment of any Hub tool, read at each call (huggingface_hub freezes its own copies at import)."""

import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from hubcmp.errors import UsageError

PUBLIC = "https://huggingface.co"
"""The Hub itself, used while HF_ENDPOINT is unset or blank."""
_TRUE = {"1", "on", "yes", "true"}


def endpoint(environment: Mapping[str, str] = os.environ) -> str:
    """Return the Hub's address without a slash at the end. Raises UsageError when HF_ENDPOINT is of no use or unsafe."""
    text = environment.get("HF_ENDPOINT", "").strip().rstrip("/")
    if not text:
        return PUBLIC
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https") or parts.username or parts.query or parts.fragment:
        raise UsageError("HF_ENDPOINT is not an address like https://huggingface.co; correct it or unset it")
    if parts.scheme == "http" and not is_loopback(host):
        raise UsageError(f"HF_ENDPOINT: http to {host} would send your token in the clear; use https")
    return text


def is_loopback(host: str) -> bool:
    """Whether `host` names this machine, by name or by address."""
    address = literal_address(host)
    return host == "localhost" or host.endswith(".localhost") or (address is not None and address.is_loopback)


def literal_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address that `host` spells out, with an IPv4 address inside an IPv6 one unwrapped, or None for a name."""
    try:
        address = ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_offline(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether HF_HUB_OFFLINE (or TRANSFORMERS_OFFLINE) forbids every request."""
    text = environment.get("HF_HUB_OFFLINE") or environment.get("TRANSFORMERS_OFFLINE") or ""
    return text.strip().lower() in _TRUE


def hf_home(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of the Hugging Face libraries."""
    if home := environment.get("HF_HOME", "").strip():
        return Path(os.path.expandvars(home)).expanduser()
    return Path(environment.get("XDG_CACHE_HOME", "").strip() or "~/.cache").expanduser() / "huggingface"


def hf_cache(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder where huggingface_hub keeps downloaded repositories."""
    named = environment.get("HF_HUB_CACHE") or environment.get("HUGGINGFACE_HUB_CACHE") or ""
    return Path(os.path.expandvars(named)).expanduser() if named.strip() else hf_home(environment) / "hub"


def may_be_logged_in(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether there may be a token; huggingface_hub knows which one, and how long it holds."""
    if any(environment.get(name, "").strip() for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_OIDC_RESOURCE")):
        return True
    named = environment.get("HF_TOKEN_PATH", "").strip()
    return (Path(os.path.expandvars(named)).expanduser() if named else hf_home(environment) / "token").exists()


def has_proxy(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether requests leave through a proxy, which then resolves host names itself."""
    return any(environment.get(name) for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"))


def hubs(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the address in HF_ENDPOINT, for `reference.parse`; none when it is unset or of no use."""
    try:
        return (endpoint(environment),)
    except UsageError:
        return ()
