"""huggingface_hub's own session as a transport: the user's token, proxy, certificates and client factory apply."""

from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

from hubcmp.errors import SourceError


def _utilities() -> Any:
    """Return huggingface_hub's utilities, untyped: they speak httpx or httpx2, whose types differ and which both must do."""
    return import_module("huggingface_hub.utils")


class Library:
    """Requests over the session that all programs on huggingface_hub share. Raises SourceError when none can be set up."""

    final = True

    def __init__(self) -> None:
        self._client = _client()
        self.token = _token()
        library = _utilities()
        httpx = library.httpx
        self.faults: tuple[type[Exception], ...] = (
            OSError,
            ValueError,
            httpx.HTTPError,
            httpx.InvalidURL,
            httpx.StreamError,
            library.OfflineModeIsEnabled,
        )
        self._timeout = httpx.Timeout

    def stream(self, url: str, headers: dict[str, str], silence: float, left: float) -> AbstractContextManager[Any]:
        """Return the response of a GET, redirects not followed; `silence` and `left` are seconds."""
        timeout = self._timeout(silence, pool=left)
        response: AbstractContextManager[Any] = self._client.stream(
            "GET", url, headers=headers, timeout=timeout, follow_redirects=False
        )
        return response

    def close(self) -> None:
        """Leave the session open, because it is everybody's."""


def _token() -> str:
    """Return the user's token, "" without a login. Raises SourceError.

    Not by build_hf_headers: it asks the Hub for a list of programs to name itself in the User-Agent, one request more.
    """
    try:
        token = _utilities().get_token_to_send(None) or ""
    except Exception as error:  # a token may come from a login server or a vault, which fail in their own ways
        raise SourceError(
            f"no token could be had ({type(error).__name__}); set HF_TOKEN or log in again", "bad token"
        ) from None
    if not (token.isascii() and token.isprintable()):
        raise SourceError(
            "the token holds characters that no token has; set HF_TOKEN anew or log in again", "bad token"
        )
    return str(token)


def _client() -> Any:
    """Return the library's HTTP client. Raises SourceError when the environment allows none."""
    try:
        return _utilities().get_session()
    except Exception as error:  # missing certificates, a proxy of an unknown kind, or the user's own client factory
        advice = "check SSL_CERT_FILE and the proxy variables"
        raise SourceError(f"no connection can be set up ({type(error).__name__}); {advice}", "unreachable") from None
