"""The drafter against its target: hidden size, vocabulary, context limit, rope and quantisation."""

from collections.abc import Iterator

from hubcmp.checks import Check, Finding, Subject, whole
from hubcmp.drafter import Drafter
from hubcmp.facts import Source

SHORT = 4096
"""Context limits below this are too short for today's workloads."""


def look(subject: Subject) -> Iterator[Finding]:
    """Yield how the drafter fits its target; without one, only what its own config shows."""
    limit = subject.whole("max_position_embeddings")
    if subject.target is None:
        if limit and limit < SHORT:
            message = f"its context limit is {limit:,} tokens; longer requests draft badly or fail"
            yield subject.warning(message, subject.sources("max_position_embeddings"))
        yield subject.untold("no target given (--target REF): sizes, context, rope and precision are not compared")
        return
    target = subject.target
    faults = [*_sizes(subject, target), *_positions(subject, target, limit), *_precision(subject, target)]
    yield from faults
    if not faults:
        yield subject.fine(f"hidden size, vocabulary, context limit and rope fit {target.ref}")


def _both(subject: Subject, target: Drafter, metric: str) -> tuple[Source, ...]:
    theirs = target.settings.get(metric)
    return (*subject.sources(metric), *(theirs.sources if theirs else ()))


def _sizes(subject: Subject, target: Drafter) -> Iterator[Finding]:
    """Yield sizes that do not fit: the fused states' width and the vocabulary."""
    taken, hidden = subject.whole("target_hidden_size") or subject.whole("hidden_size"), whole(target, "hidden_size")
    fused = subject.tensor("fc.weight", "eh_proj.weight") is not None
    if taken and hidden and taken != hidden and fused:
        message = f"it takes hidden states of {taken:,}, the target's are {hidden:,} wide"
        yield subject.fault(message, _both(subject, target, "hidden_size"))
    own, full = subject.whole("vocab_size"), whole(target, "vocab_size")
    if own and full and own != full:
        message = f"its vocabulary has {own:,} ids, the target's {full:,}: another tokenizer?"
        sources = _both(subject, target, "vocab_size")
        yield subject.fault(message, sources) if own > full else subject.warning(message, sources)


def _positions(subject: Subject, target: Drafter, limit: int | None) -> Iterator[Finding]:
    """Yield a context limit below the target's, and a rope that differs."""
    theirs = whole(target, "max_position_embeddings")
    if limit and theirs and limit < theirs:
        message = f"its context limit is {limit:,} tokens, the target's {theirs:,}: longer requests draft badly or fail"
        yield subject.warning(message, _both(subject, target, "max_position_embeddings"))
    for metric, word in (("rope_theta", "rope theta"), ("rope_type", "rope scaling")):
        ours, other = subject.drafter.settings.get(metric), target.settings.get(metric)
        if ours is not None and other is not None and ours.value != other.value:
            message = f"{word} is {ours.raw}, the target's {other.raw}: right only if it was trained so"
            yield subject.warning(message, _both(subject, target, metric))


def _precision(subject: Subject, target: Drafter) -> Iterator[Finding]:
    """Yield a quantised target beside a drafter that says nothing of it, and an attention that needs another backend."""
    quantised = target.setting("quantisation")
    if quantised and not subject.drafter.setting("quantisation"):
        message = f"the target is quantised ({quantised}); was it trained on such states or on full-precision ones?"
        yield subject.warning(message, _both(subject, target, "quantisation"))
    latent = whole(target, "kv_lora_rank") and not subject.whole("kv_lora_rank")
    if latent and subject.engine == "sglang":
        message = (
            "the target has latent attention and it has not: SGLang needs an attention backend for the draft of its own"
        )
        yield subject.warning(message, _both(subject, target, "kv_lora_rank"))


PLUGIN = Check("fit to the target", look)
