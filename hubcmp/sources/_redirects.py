"""Where a redirect may lead: to https, or within this machine for an endpoint that the user put there; never inwards."""

import socket
from urllib.parse import urljoin, urlsplit

from hubcmp.errors import SourceError
from hubcmp.sources._environment import has_proxy, is_loopback, literal_address

HOPS = 6
"""Redirects followed for one file: a rename, the resolve cache and a storage host need three."""


def origin(url: str) -> tuple[str, str, int]:
    """Return scheme, host and port: the token goes to one origin only. Raises SourceError for an odd address."""
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise SourceError("the server redirects to an address that makes no sense; not followed", "refused") from None
    return parts.scheme, (parts.hostname or "").lower(), port


def next_hop(url: str, location: str, endpoint: str) -> str:
    """Return the absolute address of a redirect. Raises SourceError when it must not be followed."""
    try:
        target = urljoin(url, location)
    except ValueError:
        target = ""
    scheme, host, _ = origin(target)
    home_scheme, home, _ = origin(endpoint)
    if scheme not in ("http", "https") or not host or "@" in urlsplit(target).netloc:
        raise SourceError("the server redirects to something that is no web address; not followed", "refused")
    if scheme == "http" and not (home_scheme == "http" and is_loopback(host)):
        raise SourceError(f"the server redirects to {host} without encryption; not followed", "refused")
    if host != home and not is_loopback(home) and is_inner(host) and not is_inner(home):
        raise SourceError(f"the server redirects to {host} inside this network; not followed", "refused")
    if is_loopback(home) and is_inner(host) and not is_loopback(host):
        raise SourceError(f"the server redirects to {host} inside this network; not followed", "refused")
    return target


def is_inner(host: str) -> bool:
    """Whether a host lies on this machine or in a private network, as written or as its name resolves."""
    address = literal_address(host)
    if address is not None:
        return not address.is_global
    if is_loopback(host):
        return True
    if has_proxy():  # the proxy resolves names, and this machine often cannot
        return False
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        return False  # the request itself will say that there is no such host
    return any((inner := literal_address(str(text))) is not None and not inner.is_global for text in found)
