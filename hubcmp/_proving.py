"""How ledgers are held against a target: nothing where none is named, else its bytes, read once for all drafters."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from hubcmp.document import Bundle

if TYPE_CHECKING:
    from hubcmp.parameters import Ledger

Proof = Callable[["Ledger", Bundle], "Ledger"]
"""What settles a ledger's statuses from the bytes of its bundle."""


def unproven(ledger: "Ledger", bundle: Bundle) -> "Ledger":
    """Leave a ledger as its headers and conventions say."""
    return ledger


def proof_against(other: Bundle | None, ledger_of: Callable[[Bundle], "Ledger"], rows: int) -> Proof:
    """Return what compares drafters with a target's bytes; a target that cannot be read is a problem of every ledger."""
    if other is None:
        return unproven
    from hubcmp.parameters import prove

    model = ledger_of(other)

    def proof(ledger: "Ledger", bundle: Bundle) -> "Ledger":
        proven = prove(ledger, bundle, model, other, rows)
        return replace(proven, problems=(*proven.problems, *model.problems))

    return proof
