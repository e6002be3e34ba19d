"""EAGLE-3 with a Llama layer: three tapped states of the target fused, a first layer of twice the input width, an own head."""

from hubcmp.families import Family, Marks, _forms

FROZEN_EMBEDDING = "EAGLE-3 trainers load the target's embedding and freeze it"

PLUGIN = Family(
    title="EAGLE-3",
    marks=Marks(
        wrapper=("eagle3",),
        tensors=(r"layers\.#\.hidden_norm\.weight",),
        tensors_without=(r".*eh_proj.*", r"mtp_layers.*"),
        keys=("use_aux_hidden_state", "norm_before_residual", "draft_vocab_size"),
        architectures=(r"\w*Eagle3\w*",),
        repository=(r".*eagle-?3.*",),
    ),
    form=_forms.eagle3,
    frozen={"embedding": FROZEN_EMBEDDING},
    borrowed=("embedding",),
)
