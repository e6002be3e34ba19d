"""DSpark: DFlash with a low-rank Markov head over token pairs and a confidence head."""

from collections.abc import Mapping

from hubcmp.families import Family, Marks, _forms
from hubcmp.families._dimensions import Dimensions
from hubcmp.families.dflash import SHARED


def form(d: Dimensions) -> Mapping[str, int]:
    """Return DFlash + 2*V*r (Markov head; gated kinds add a projection) + the confidence head's H (+ r) + 1."""
    rank = d.size("markov_rank")
    width = d.hidden + (rank if d.flag("confidence_head_with_markov", True) else 0)
    confidence = {"confidence_head": width + 1} if d.flag("enable_confidence_head", True) else {}
    return _forms.total(_forms.dflash(d), {"markov_head": 2 * d.vocabulary * rank}, confidence)


PLUGIN = Family(
    title="DSpark",
    marks=Marks(
        wrapper=("dspark",),
        tensors=(r"(markov_head|logit_head)\..*",),
        keys=("algorithm=dspark", "markov_rank"),
        architectures=(r"\w*DSpark\w*",),
        repository=(r".*dspark.*",),
    ),
    refines=("dflash", "mtp"),
    form=form,
    frozen=SHARED,
    borrowed=("embedding", "lm_head"),
    unimplied={
        "markov_head": "the config gives the rank, not the projection of a gated or joint head, nor its vocabulary",
        "confidence_head": "the config need not say whether the confidence head also reads the Markov head's state",
    },
)
