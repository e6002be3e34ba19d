"""Medusa and Hydra: how many heads the file holds against what the config says, which engines believe."""

from collections.abc import Iterator

from hubcmp.checks import Check, Finding, Subject


def look(subject: Subject) -> Iterator[Finding]:
    """Yield whether the heads counted in the header are those that the config names."""
    ledger = subject.drafter.ledger
    key = next((metric for metric in ("medusa_num_heads", "hydra_num_heads") if subject.whole(metric)), "")
    if not key or ledger is None or subject.family not in ("medusa", "hydra"):
        return
    names = (name.split(".") for table in ledger.tables for name in table.names)
    stored = len({number for parts in names if (number := next((p for p in parts if p.isdigit()), ""))})
    said, sources = subject.whole(key), subject.sources(key)
    if stored and stored != said:
        message = f"{key} is {said}, the file holds {stored} heads: engines load as many as the config names"
        yield subject.warning(message, sources)
    elif stored:
        yield subject.fine(f"{stored} heads, as the config says", sources)


PLUGIN = Check("number of heads", look)
