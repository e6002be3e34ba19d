"""Model cards: every claim about a drafter with the line it stands on, and nothing the card does not claim. See docs/cards.md."""

import re

from hubcmp.document import Document
from hubcmp.errors import SourceError
from hubcmp.readers import Reader, Reading
from hubcmp.readers.card.guard import MAX_BYTES

_COUNTING = re.compile(
    rb"param|trainable|(?<!batch )(?<!batch[-_])(?<!block )(?<!block[-_])size|\x00|"
    + "|".join(("参数", "パラメータ", "파라미터")).encode(),
    re.IGNORECASE,
)
"""What a card that gives a number of parameters cannot do without (or is not in UTF-8, and not to be judged by its bytes)."""


def recognises(document: Document) -> bool:
    """Whether the document is a Markdown file, by its path."""
    return (document.source.path or document.source.ref).lower().endswith((".md", ".markdown"))


def read(document: Document) -> Reading:
    """Return what a card claims; see `whole.read`. The vocabulary is compiled when the first card is read."""
    from hubcmp.readers.card import whole

    return whole.read(document)


def may_count(document: Document) -> bool:
    """Whether this is a card that may say how many parameters there are; asking is cheap, the vocabulary to read it is not."""
    try:
        return recognises(document) and _COUNTING.search(document.read(0, MAX_BYTES)) is not None
    except SourceError:  # reading it says why
        return True


PLUGIN = Reader(format="card", kind="card", recognises=recognises, read=read)
