"""Domino: DFlash whose block is corrected token by token with a small recurrent network over the prefix."""

from collections.abc import Mapping

from hubcmp.families import Family, Marks, _forms
from hubcmp.families._dimensions import Dimensions
from hubcmp.families.dflash import SHARED


def form(d: Dimensions) -> Mapping[str, int]:
    """Return DFlash + 3*g*(H + g) (the recurrent network's three gates) + e*(H + g) + V*e (its projection to tokens)."""
    state, inner = d.size("gru_hidden_size"), d.size("emb_dim")
    recurrent = 3 * state * (d.hidden + state)
    projection = inner * (d.hidden + state) + d.vocabulary * inner
    return _forms.total(_forms.dflash(d), {"other": recurrent + projection})


PLUGIN = Family(
    title="Domino",
    marks=Marks(
        wrapper=("domino",),
        tensors=(r"prefix_gru\..*",),
        keys=("algorithm=domino",),
        architectures=(r"Domino\w*",),
        repository=(r".*domino.*",),
    ),
    refines=("dflash",),
    form=form,
    roles=((r"(prefix_gru|embed_proj)\..*", "other"),),
    frozen=SHARED,
    borrowed=("embedding", "lm_head"),
    unimplied={"other": "the config does not say whether the recurrent network and its projection have biases"},
)
