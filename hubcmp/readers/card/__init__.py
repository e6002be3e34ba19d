"""Model cards: every claim about a drafter with the line it stands on, and nothing the card does not claim. See docs/cards.md."""

from hubcmp.document import Document
from hubcmp.readers import Reader, Reading


def recognises(document: Document) -> bool:
    """Whether the document is a Markdown file, by its path."""
    return (document.source.path or document.source.ref).lower().endswith((".md", ".markdown"))


def read(document: Document) -> Reading:
    """Return what a card claims; see `whole.read`. The vocabulary is compiled when the first card is read."""
    from hubcmp.readers.card import whole

    return whole.read(document)


PLUGIN = Reader(format="card", kind="card", recognises=recognises, read=read)
