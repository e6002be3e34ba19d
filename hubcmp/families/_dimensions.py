"""The sizes that closed forms compute with, taken from the config's facts, with the usual defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hubcmp.facts import Fact, Span


class MissingSizeError(LookupError):
    """A size that a closed form needs and the config does not give; `str()` is its name."""


@dataclass(frozen=True, slots=True)
class Dimensions:
    """Sizes by config metric. Attributes follow the papers' names; each raises MissingSizeError when it is not known."""

    facts: Mapping[str, Fact] = field(default_factory=dict)

    def size(self, metric: str, default: int | None = None) -> int:
        """Return a whole figure of the config, or the default. Raises MissingSizeError without one."""
        fact = self.facts.get(metric)
        if fact is not None and isinstance(fact.value, Span):
            return int(fact.value.low)
        if default is None:
            raise MissingSizeError(metric)
        return default

    def flag(self, metric: str, default: bool = False) -> bool:
        """Return a yes or no of the config."""
        fact = self.facts.get(metric)
        return fact.value if fact is not None and isinstance(fact.value, bool) else default

    def text(self, metric: str) -> str:
        """Return a text of the config, "" when there is none."""
        fact = self.facts.get(metric)
        return fact.value if fact is not None and isinstance(fact.value, str) else ""

    def kind(self, *starts: str) -> bool:
        """Say whether the config's model type begins with one of these."""
        return self.text("model_type").startswith(starts)

    @property
    def hidden(self) -> int:
        """Hidden size of the drafter."""
        return self.size("hidden_size")

    @property
    def target_hidden(self) -> int:
        """Hidden size of the target, the drafter's own unless the config says otherwise."""
        return self.size("target_hidden_size", self.hidden)

    @property
    def inner(self) -> int:
        """Width of the MLP."""
        return self.size("intermediate_size")

    @property
    def layers(self) -> int:
        """Decoder layers of the drafter."""
        return self.size("num_hidden_layers", 1)

    @property
    def heads(self) -> int:
        """Attention heads."""
        return self.size("num_attention_heads")

    @property
    def kv_heads(self) -> int:
        """Key and value heads, one per attention head unless the config says otherwise."""
        return self.size("num_key_value_heads", self.heads)

    @property
    def head(self) -> int:
        """Width of one head; hidden / heads only when the config is silent."""
        return self.size("head_dim", self.hidden // max(self.heads, 1))

    @property
    def vocabulary(self) -> int:
        """Tokens of the target."""
        return self.size("vocab_size")

    @property
    def draft_vocabulary(self) -> int:
        """Tokens that the drafter can propose: the target's unless a draft vocabulary is given."""
        return self.size("draft_vocab_size", self.vocabulary)

    @property
    def taps(self) -> int:
        """Hidden states of the target that are fused: the listed layer ids, else the stated number, else three."""
        ids = self.facts.get("aux_layer_ids")
        listed = len(ids.value) if ids is not None and isinstance(ids.value, tuple) else 3
        return self.size("num_aux_hidden_states", listed)

    @property
    def latent(self) -> bool:
        """Whether attention is multi-head latent attention (MLA)."""
        return "kv_lora_rank" in self.facts
