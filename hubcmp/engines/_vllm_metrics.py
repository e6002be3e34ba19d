"""vLLM's per-request object `speculative_decoding`, which clients such as guidellm pass through."""

from typing import Any

from hubcmp.engines._counts import Counts, reached
from hubcmp.engines._json import counts, get, number, whole


def add(total: Counts, metrics: Any) -> int | None:
    """Add one request's object to the counts and return its num_spec_tokens.

    A request without a verify step reports the placeholder 1.0; it counts as a request and adds nothing.
    """
    steps, taken = number(metrics, "num_spec_steps"), number(metrics, "num_accepted_draft_tokens")
    if steps is not None and taken is not None:
        total.add(
            steps, taken, number(metrics, "num_draft_tokens"), reached(counts(get(metrics, "acceptance_histogram")))
        )
    return whole(metrics, "num_spec_tokens")
