"""MTP / NextN modules, native or retrained, in every dialect: DeepSeek and GLM (`eh_proj` in the layer after the last),
Qwen (`mtp.`), MiMo and speculators (`mtp_layers.`), Ernie (`mtp_block.`). Embedding and head are the target's, sometimes stored again."""

from collections.abc import Mapping

from hubcmp.families import Family, Marks, _forms
from hubcmp.families._dimensions import Dimensions


def form(d: Dimensions) -> Mapping[str, int]:
    """Return modules * (one layer + 2H*H fusion + norms) + the shared embedding and head."""
    modules = max(d.size("num_nextn_predict_layers", 1), 1)
    inner = _forms.norms(2, d.head) if d.kind("qwen3", "bailing") else {}
    layer = _forms.total(
        _forms.attention(d, d.hidden),
        _forms.experts(d),
        {"fusion": 2 * d.hidden * d.hidden},
        _forms.norms(5, d.hidden),
        inner,
    )
    shared = _forms.total(_forms.embedding(d), {"lm_head": d.vocabulary * d.hidden})
    return _forms.total(
        {role: modules * n for role, n in layer.items()}, {role: modules * n for role, n in shared.items()}
    )


PLUGIN = Family(
    title="MTP / NextN",
    marks=Marks(
        wrapper=("mtp",),
        tensors=(r"(.*eh_proj.*|mtp\..*|mtp_\w+\..*|nextn\..*|.*\.nextn\..*|layers\.#\.(enorm|hnorm)\.weight)",),
        architectures=(r"\w*(NextN|MTP)\w*",),
        repository=(r".*\bmtp\b.*", r".*nextn.*"),
    ),
    form=form,
    frozen={
        "embedding": "MTP modules share the target's embedding; a stored one is a second copy (to be checked: some retrain it)",
        "lm_head": "MTP modules share the target's head; a stored one is a second copy (to be checked: some train their own)",
    },
    borrowed=("embedding", "lm_head"),
)
