"""The closed form against the header: what the config alone implies per role, and what explains a difference."""

from collections.abc import Mapping

from hubcmp.families import families
from hubcmp.families._dimensions import Dimensions, MissingSizeError
from hubcmp.parameters._ledger import Absent, ClosedForm, FormRow, Ledger


def absent_roles(ledger: Ledger, sizes: Dimensions) -> tuple[Absent, ...]:
    """Return the roles that the file lacks and the engine takes from the target."""
    family = families().get(ledger.family)
    held = ledger.by_role
    missing = [role for role in family.borrowed if role not in held] if family else []
    if family and "lm_head" not in held and sizes.flag("tie_word_embeddings") and "embedding" in held:
        return (*(_absent(r, sizes) for r in missing if r != "lm_head"), Absent("lm_head", "tied to the embedding"))
    return tuple(_absent(role, sizes) for role in missing)


def _absent(role: str, sizes: Dimensions) -> Absent:
    try:
        shape = (sizes.vocabulary, sizes.hidden)
    except MissingSizeError:
        return Absent(role, "loaded from the target")
    return Absent(role, "loaded from the target", shape[0] * shape[1], shape)


def closed_form(ledger: Ledger, sizes: Dimensions) -> ClosedForm | None:
    """Return the comparison per role, None for a family without a closed form."""
    family = families().get(ledger.family)
    if family is None or family.form is None:
        return None
    try:
        implied = family.form(sizes)
    except MissingSizeError as error:
        return ClosedForm(ledger.family, missing=str(error))
    stored = _stored(ledger)
    absent = {item.role: item.reason for item in ledger.absent}
    roles = dict.fromkeys((*implied, *stored))
    return ClosedForm(
        ledger.family,
        tuple(
            _row(role, implied.get(role, 0), stored.get(role, 0), absent, family.unimplied.get(role, ""))
            for role in roles
        ),
    )


def _stored(ledger: Ledger) -> Mapping[str, int]:
    held: dict[str, int] = {}
    for entry in ledger.entries:
        if entry.status != "buffer":
            held[entry.role] = held.get(entry.role, 0) + entry.parameters
    return held


def _row(role: str, implied: int, stored: int, absent: Mapping[str, str], unimplied: str) -> FormRow:
    if implied == stored:
        return FormRow(role, implied, stored)
    if role in absent and not stored:
        return FormRow(role, implied, stored, f"absent: {absent[role]}")
    why = f"; {unimplied}" if unimplied else ""
    return FormRow(role, implied, stored, f"unexplained: {_difference(implied, stored)}{why}")


def _difference(implied: int, stored: int) -> str:
    if not implied:
        return "the config does not imply it"
    if not stored:
        return "the config implies it, the file holds none"
    if stored % implied == 0:
        return f"the file holds {stored // implied} times what the config implies"
    return f"{stored - implied:+,} against the config"
