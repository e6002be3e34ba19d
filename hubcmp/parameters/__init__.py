"""Parameters: tensors + family -> the ledger (by role, by status, with the residue), and the gap between two ledgers.

`account` reads the weight files of one bundle by their headers and books every tensor; `prove` compares embedding and
head with the target's bytes; `reconcile` explains the difference of two ledgers role by role down to a rest;
`waterfall` puts a card's claim, the Hub's count and the header on one scale.
"""

from hubcmp.families._recognition import Decision as Decision
from hubcmp.parameters._account import account as account
from hubcmp.parameters._ledger import Absent as Absent
from hubcmp.parameters._ledger import ClosedForm as ClosedForm
from hubcmp.parameters._ledger import Entry as Entry
from hubcmp.parameters._ledger import FormRow as FormRow
from hubcmp.parameters._ledger import Ledger as Ledger
from hubcmp.parameters._ledger import Outside as Outside
from hubcmp.parameters._ledger import Proof as Proof
from hubcmp.parameters._maps import TokenMap as TokenMap
from hubcmp.parameters._maps import mapped as mapped
from hubcmp.parameters._maps import token_map as token_map
from hubcmp.parameters._proof import prove as prove
from hubcmp.parameters._reconciliation import Reconciliation as Reconciliation
from hubcmp.parameters._reconciliation import Row as Row
from hubcmp.parameters._reconciliation import reconcile as reconcile
from hubcmp.parameters._waterfall import Step as Step
from hubcmp.parameters._waterfall import agreements as agreements
from hubcmp.parameters._waterfall import waterfall as waterfall

__all__ = [
    "Absent", "ClosedForm", "Decision", "Entry", "FormRow", "Ledger", "Outside", "Proof", "Reconciliation", "Row", "Step",
    "TokenMap", "account", "agreements", "mapped", "prove", "reconcile", "token_map", "waterfall",
]  # fmt: skip
