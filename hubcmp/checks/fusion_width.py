"""The fusion layer's width against the tapped layers: an engine that feeds another number of states fails or reads noise."""

from collections.abc import Iterator

from hubcmp.checks import Check, Finding, Subject


def look(subject: Subject) -> Iterator[Finding]:
    """Yield whether fc takes as many hidden states as there are layer ids."""
    fusion = subject.tensor("fc.weight", "context_proj.weight")
    width = subject.whole("target_hidden_size") or subject.whole("hidden_size")
    if fusion is None or len(fusion.shape) != 2 or not width:
        return
    sources = subject.sources("target_hidden_size", "hidden_size", "aux_layer_ids", tensors=(fusion,))
    ids = subject.drafter.settings.get("aux_layer_ids")
    count, rest = divmod(fusion.shape[1], width)
    takes = f"{fusion.name} takes {count} hidden states of {width:,}"
    if rest:
        message = f"{fusion.name} takes {fusion.shape[1]:,} values, no multiple of the target's hidden size {width:,}"
        yield subject.fault(message, sources)
    elif ids is not None and isinstance(ids.value, tuple) and len(ids.value) != count:
        yield subject.fault(f"{takes}, but the config names {len(ids.value)} layer ids", sources)
    else:
        yield subject.fine(takes, sources)


PLUGIN = Check("fusion layer and tapped layers", look)
