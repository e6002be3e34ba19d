"""P-EAGLE: EAGLE-3 that drafts in parallel, with a learned state for masked positions and usually four layers."""

from collections.abc import Mapping

from hubcmp.families import Family, Marks, _forms
from hubcmp.families._dimensions import Dimensions


def form(d: Dimensions) -> Mapping[str, int]:
    """Return EAGLE-3 with L layers plus the masked state, as wide as all tapped states."""
    return _forms.total(_forms.eagle3(d), {"mask_param": d.taps * d.target_hidden})


PLUGIN = Family(
    title="P-EAGLE",
    marks=Marks(
        wrapper=("peagle", "p_eagle", "p-eagle"),
        tensors=(r"mask_hidden(\..*)?",),
        architectures=(r"P-?_?[Ee]agle\w*",),
        repository=(r".*p-eagle.*",),
    ),
    refines=("eagle3", "eagle3_mla", "eagle31"),
    form=form,
)
