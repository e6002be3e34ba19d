"""MLP speculator: one small step per drafted token, from the last state and the token drafted before (fms-extras)."""

from collections.abc import Mapping

from hubcmp.families import Family, Marks
from hubcmp.families._dimensions import Dimensions


def form(d: Dimensions) -> Mapping[str, int]:
    """Return n*V*d (embeddings) + n*V*d (heads) + E*d + (n-1)*d*d + 2*n*d; tied weights are stored once, projections twice."""
    n, wide, inner = d.size("n_predict"), d.size("emb_dim"), d.size("inner_dim", d.size("emb_dim"))
    tied = d.flag("tie_weights")
    copies = 1 if tied else n
    later = min(n - 1, 1) if tied else n - 1
    return {
        "embedding": copies * d.vocabulary * inner,
        "lm_head": copies * d.vocabulary * inner,
        "fusion": wide * inner + later * inner * inner,
        "norm": copies * 2 * inner,
    }


PLUGIN = Family(
    title="MLP speculator",
    marks=Marks(
        wrapper=("mlp", "mlp_speculator"),
        tensors=(r"emb\.#\.weight", r"proj\.#\.weight", r"head\.#\.weight"),
        keys=("n_predict", "inner_dim"),
        architectures=(r"MLPSpeculator\w*",),
        repository=(r".*accelerator.*", r".*mlp-speculator.*"),
    ),
    form=form,
    roles=((r"proj\.\d+\.(weight|bias)$", "fusion"),),
)
