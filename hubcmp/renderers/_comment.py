"""Comments that are found again: a hidden first line with the user's id and a digest of what follows."""

import hashlib
import re

from hubcmp.errors import UsageError

_ID = re.compile(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*")
LONGEST = 64
"""Characters of an id."""
ROOM = LONGEST + 40
"""Characters that the hidden line takes at most."""


def checked(comment_id: str) -> str:
    """Return a fit id of a comment. Raises UsageError for one that could end the hidden line or pass for another's."""
    if len(comment_id) > LONGEST or not _ID.fullmatch(comment_id):
        raise UsageError(
            f"--comment-id {comment_id!r}: write letters and digits, with single . _ or - between them, at most {LONGEST}"
        )
    return comment_id


def marked(text: str, comment_id: str) -> str:
    """Return a report behind its marker `<!-- hubcmp:ID DIGEST -->`; equal reports have equal digests (SHA-256, 16 digits).

    Data cannot forge one: the Markdown renderer escapes what comments begin with.
    """
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    return f"<!-- hubcmp:{checked(comment_id)} {digest} -->\n{text}"
