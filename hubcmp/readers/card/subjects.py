"""Whose figure it is: this drafter's, plain decoding's, or another's. Decided per axis, because "Ours" settles its neighbours too."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hubcmp.labels import slug
from hubcmp.readers.card.vocabulary import BASELINE_RE, OWN_RE, PUBLISHED_RE, algorithm

SELF, BASELINE = "self", "baseline"
_REPO = re.compile(r"^[A-Za-z][\w.-]{1,96}/(?=[\w.-]{0,96}[\d-])[\w.-]{2,96}$")
_VERSION = re.compile(
    r"^(?:v\d[\w.]{0,8}|(?:iter|step|epoch|phase|stage)[-_ ]?\d\w{0,9}|old|new|prev(?:ious|\.)?|before|after"
    r"|initial|final|stock|(?:fine-?)?tuned|(?:after|before) (?:fine-?)?tuning|旧版?|新版?|微调[前后]|原版|原始(?:\s?MTP)?)$",
    re.IGNORECASE,
)
_NOT_OWN = re.compile(
    r"原始|原版|旧|\borig\.|\b(?:official|init(?:ial)?|prev(?:ious)?|old(?:er)?|earlier|prior|original|v0|competitor|public|stock|untuned|upstream|shipped)\b",
    re.IGNORECASE,
)

_THINKING = re.compile(r"\bthinking\W{0,3}(?:mode\s)?(?:is\s)?(?:on|off|enabled|disabled)\b", re.IGNORECASE)
"""A setting, which "off" does not make plain decoding."""
_EARLIER_ONE = re.compile(
    r"^(?:prev(?:ious|\.)?|old(?:er)?|earlier|stock|original|initial|first|untuned|v\d)\s"
    r"(?:head|drafter|draft|checkpoint|release|version|speculator)s?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the card is: slugs of the drafter's own names, of its target's names, and its algorithm."""

    names: frozenset[str] = frozenset()
    targets: frozenset[str] = frozenset()
    algorithm: str | None = None


def plain_name(text: str) -> str:
    """Return a name without brackets, arrows and marks around it."""
    bare = re.sub(r"\([^()]{0,80}\)|\[[^\[\]]{0,80}\]|[*`†‡←✅⭐]", " ", text)
    return " ".join(bare.split()).strip(" :,-—–→|+") or text.strip()


def subject_of(text: str, identity: Identity, names_a_method: bool = False) -> str | None:
    """Return "self", "baseline" or "other:NAME" for a head or label, or None when it names no drafter.

    `names_a_method`: the axis is known to list drafters, so that an unknown name is another drafter.
    """
    text = _THINKING.sub(" ", text)
    name = plain_name(text)
    key = slug(name)
    method = algorithm(name)
    if OWN_RE.search(text):
        return SELF
    if key and key in identity.names:
        return SELF
    if (BASELINE_RE.search(text) and not algorithm(BASELINE_RE.sub(" ", text))) or key in identity.targets:
        return BASELINE
    if method:
        return _by_method(name, method, identity)
    if _EARLIER_ONE.match(name):
        return f"other:{name}"
    return f"other:{name}" if name and (names_a_method or _REPO.match(name)) else None


def _by_method(name: str, method: str, identity: Identity) -> str:
    """A method's name is this drafter when it is the card's own method and nothing in it says otherwise."""
    own = identity.algorithm is not None and _same_family(method, identity.algorithm)
    if _REPO.match(name) or _NOT_OWN.search(name):
        own = False
    return SELF if own else f"other:{name}"


def _same_family(method: str, own: str) -> bool:
    """Whether two names mean one method: EAGLE-3.1 is called EAGLE-3, and either just EAGLE."""
    return (
        method == own
        or (method.startswith("EAGLE-3") and own.startswith("EAGLE-3"))
        or (method == "EAGLE" and own.startswith("EAGLE"))
    )


def settle(texts: Sequence[str], found: Sequence[str | None], identity: Identity) -> list[str | None]:
    """Settle an axis: where one entry says "ours" or the drafter's own name, entries that only share its method are others."""
    explicit = [bool(OWN_RE.search(t)) or slug(plain_name(t)) in identity.names for t in texts]
    if not any(explicit) and sum(s == SELF for s in found) > 1:
        explicit = [algorithm(plain_name(t)) == identity.algorithm for t in texts]
    if SELF not in found and len(rivals := _rivals(texts, found)) == 1:
        return [SELF if i in rivals else s for i, s in enumerate(found)]
    if any(explicit):
        found = [_other(t) if s is None and _NOT_OWN.search(t) else s for t, s in zip(texts, found, strict=True)]
        return [_other(t) if s == SELF and not e else s for t, s, e in zip(texts, found, explicit, strict=True)]
    return list(found)


def _rivals(texts: Sequence[str], found: Sequence[str | None]) -> list[int]:
    """Return the entries beside the target's own MTP head, which is the usual yardstick, when that stands among them."""
    methods = {
        i: algorithm(plain_name(t))
        for i, (t, s) in enumerate(zip(texts, found, strict=True))
        if s and s.startswith("other:")
    }
    others = [i for i, m in methods.items() if m and m != "MTP" and not _NOT_OWN.search(texts[i])]
    return others if "MTP" in methods.values() and len(methods) == 2 else []


def versions(texts: Sequence[str]) -> list[str | None] | None:
    """Return the subjects of an axis that lists versions of one drafter ("v1 | v2"), or None when it does not."""
    named = [i for i, t in enumerate(texts) if _VERSION.match(plain_name(t))]
    if len(named) < 2:
        return None
    own = plain_name(texts[named[latest([texts[i] for i in named])]])
    names = [plain_name(t) for t in texts]
    return [SELF if i in named and n == own else f"other:{n}" if i in named else None for i, n in enumerate(names)]


def latest(texts: Sequence[str]) -> int:
    """Return the index of the published one among versions: the one marked so, else the last."""
    marked = [i for i, t in enumerate(texts) if PUBLISHED_RE.search(t)]
    return marked[-1] if marked else len(texts) - 1


def _other(text: str) -> str:
    return f"other:{plain_name(text)}"
