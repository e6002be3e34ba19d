"""Table heads that name a setting without its value: the value stands in the cells below or beside them."""

import re
from collections.abc import Mapping

from hubcmp.facts import Scalar
from hubcmp.readers.card.settings import find, number

AXES: Mapping[str, str] = {
    "concurrency": "concurrency",
    "concurrent requests": "concurrency",
    "users": "concurrency",
    "clients": "concurrency",
    "conc": "concurrency",
    "streams": "concurrency",
    "batch size": "batch_size",
    "batch": "batch_size",
    "bs": "batch_size",
    "b": "batch_size",
    "bsz": "batch_size",
    "n": "prompts",
    "samples": "prompts",
    "prompts": "prompts",
    "requests": "prompts",
    "questions": "prompts",
    "num samples": "prompts",
    "k": "num_speculative_tokens",
    "draft length": "num_speculative_tokens",
    "num_speculative_tokens": "num_speculative_tokens",
    "num spec tokens": "num_speculative_tokens",
    "speculative tokens": "num_speculative_tokens",
    "spec tokens": "num_speculative_tokens",
    "speculative length": "num_speculative_tokens",
    "draft len": "num_speculative_tokens",
    "γ": "num_speculative_tokens",
    "n_spec": "num_speculative_tokens",
    "draft depth": "num_speculative_tokens",
    "spec": "num_speculative_tokens",
    "num_spec": "num_speculative_tokens",
    "draft tokens": "num_draft_tokens",
    "num_draft_tokens": "num_draft_tokens",
    "num draft tokens": "num_draft_tokens",
    "steps": "num_steps",
    "num_steps": "num_steps",
    "num steps": "num_steps",
    "draft steps": "num_steps",
    "eagle_topk": "topk",
    "topk": "topk",
    "top-k": "topk",
    "top_k": "topk",
    "block size": "block_size",
    "block": "block_size",
    "block_size": "block_size",
    "temperature": "temperature",
    "temp": "temperature",
    "t": "temperature",
    "gpu": "hardware",
    "gpus": "hardware",
    "hardware": "hardware",
    "device": "hardware",
    "accelerator": "hardware",
    "machine": "hardware",
    "engine": "engine",
    "framework": "engine",
    "backend": "engine",
    "server": "engine",
    "tp": "tensor_parallel",
    "tensor parallel": "tensor_parallel",
    "target model": "target_model",
    "target": "target_model",
    "base model": "target_model",
    "verifier": "target_model",
    "precision": "target_dtype",
    "dtype": "target_dtype",
    "quantization": "target_dtype",
    "target dtype": "target_dtype",
    "target precision": "target_dtype",
    "max tokens": "max_tokens",
    "max new tokens": "max_tokens",
    "output tokens": "max_tokens",
    "thinking": "thinking",
    "top_p": "top_p",
    "top-p": "top_p",
    "并发": "concurrency",
    "并发数": "concurrency",
    "并发度": "concurrency",
    "题数": "prompts",
    "批大小": "batch_size",
    "温度": "temperature",
    "样本数": "prompts",
    "硬件": "hardware",
    "#prompts": "prompts",
}
"""Table heads that name a setting whose value stands in the cells."""


def axis(text: str) -> str | None:
    """Return the setting that a table head names without giving its value ("Concurrency", "# Samples", "GPU"), or None."""
    bare = re.sub(r"[#`*:]|\((?:bs|n|c|k)\)", " ", text.lower())
    words = " ".join(bare.replace("number of", " ").replace("no. of", " ").split()).rstrip(".")
    return AXES.get(words)


def axis_value(key: str, text: str) -> Scalar | None:
    """Return the value of a cell below a head that names a setting; None when the cell has none of that kind."""
    stated = next((s.value for s in find(text) if s.key == key), None)
    if stated is not None or not text.strip():
        return stated
    if key in ("target_model", "hardware", "engine", "target_dtype"):
        return text.strip()
    match = re.match(r"\D{0,12}?(\d{1,9}(?:,\d{3}){0,2}(?:\.\d{1,4})?)", text.strip())
    return number(match[1]) if match else None
