"""Compressed documents, told by their first bytes: gzip, xz and zstd streams read like the text inside them."""

import gzip
import importlib
import lzma
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from hubcmp.document import Document, piece
from hubcmp.errors import FormatError, SourceError
from hubcmp.facts import Source

RATIO = 2000
"""Most that a stream may grow: real logs reach a few hundred, a bomb a hundred thousand."""
GRACE = 64 << 20
"""Bytes that any stream may hold, whatever the ratio."""

PIECE = 1 << 10
"""Compressed bytes taken at once: four bytes of zstd may stand for 128 KB."""


class _Decoder(Protocol):
    """One stream of a compressed file; a file may hold several, one behind the other."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


def _gzip() -> _Decoder:
    return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)


class _Zstd:
    """A zstd stream whose errors are ValueErrors, like those of the others."""

    def __init__(self) -> None:
        try:
            self._library = importlib.import_module("zstandard")
        except ImportError:
            advice = "pip install 'hubcmp[zstd]', or unpack the file"
            raise SourceError(f"zstd needs a package that is not installed; {advice}", "unreadable") from None
        self._stream = self._library.ZstdDecompressor(max_window_size=1 << 27).decompressobj()

    @property
    def eof(self) -> bool:
        return bool(self._stream.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._stream.unused_data)

    def decompress(self, data: bytes, /) -> bytes:
        try:
            return bytes(self._stream.decompress(data))
        except self._library.ZstdError as error:
            raise ValueError(error) from None


_MAGIC: dict[bytes, Callable[[], _Decoder]] = {
    b"\x1f\x8b": _gzip,
    b"\xfd7zXZ\x00": lambda: lzma.LZMADecompressor(memlimit=128 << 20),
    b"\x28\xb5\x2f\xfd": _Zstd,
}


def expand(document: Document) -> Document:
    """Return the document itself, or its decompressed content when it starts with the magic bytes of a known compression."""
    start = document.read(0, 6)
    opener = next((opener for magic, opener in _MAGIC.items() if start.startswith(magic)), None)
    return document if opener is None else Expanded(document, opener)


@dataclass(frozen=True)
class Expanded:
    """A decompressed view of a document. Each read starts from the front, so readers stream it or look at its head."""

    packed: Document
    opener: Callable[[], _Decoder]

    @property
    def source(self) -> Source:
        """The compressed file."""
        return self.packed.source

    @property
    def size(self) -> None:
        """Not known before everything is read."""
        return None

    def read(self, offset: int, n: int) -> bytes:
        """Return up to `n` bytes of the content from `offset`. Raises FormatError for a broken stream."""
        return piece(self.chunks(), offset, n)

    def chunks(self) -> Iterator[bytes]:
        """Yield the content. A truncated stream gives what it holds; raises FormatError for a broken or exploding one."""
        taken = given = 0
        decoder = self.opener()
        for packed in self.packed.chunks():
            taken += len(packed)
            for start in range(0, len(packed), PIECE):
                decoder, content = self._feed(decoder, packed[start : start + PIECE])
                given += len(content)
                if given > RATIO * taken + GRACE:
                    raise FormatError(
                        f"{self.source}: unpacks to more than {RATIO} times its size; refused as a decompression bomb"
                    )
                if content:
                    yield content

    def _feed(self, decoder: _Decoder, data: bytes) -> tuple[_Decoder, bytes]:
        """Decompress one piece, going on to the next stream of the file where one ends."""
        content = b""
        try:
            while data:
                content += decoder.decompress(data)
                if not decoder.eof:
                    break
                data = decoder.unused_data.lstrip(b"\0")
                decoder = self.opener()
        except (zlib.error, lzma.LZMAError, gzip.BadGzipFile, EOFError, ValueError) as error:
            raise FormatError(f"{self.source}: the compressed data is broken ({error}); fetch the file again") from None
        return decoder, content
