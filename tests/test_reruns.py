"""Runs that would settle a comparison: the engine's own words for the drafter's family, and nothing that a shell would run."""

import shlex
from dataclasses import replace

import pytest

from hubcmp import reruns
from hubcmp.acceptance import Run
from hubcmp.axes import Axis, AxisValue
from hubcmp.drafter import Drafter
from hubcmp.facts import Source
from tests.build import drafter

SOURCE = Source("run.log", "sha", "run.log", "line 1")


def on(engine: str, ref: str = "org/a", target: str = "org/Target-8B") -> Drafter:
    return replace(drafter(ref, target=target), runs=(Run(engine, "log", SOURCE),))


def test_sglang_flags() -> None:
    assert reruns.settling([on("sglang"), drafter("org/b")], [3, None]) == tuple(
        f"python -m sglang.launch_server --model-path org/Target-8B --speculative-algorithm ALGORITHM "
        f"--speculative-draft-model-path {ref} --speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4"
        for ref in ("org/a", "org/b")
    )  # fmt: skip


def test_vllm_flags_without_a_known_depth() -> None:
    (command,) = reruns.settling([on("vllm")], [None])
    assert command.startswith("vllm serve --model org/Target-8B --speculative-config.method METHOD")
    assert command.endswith("--speculative-config.num_speculative_tokens K")


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_texts_from_outside_are_quoted(engine: str) -> None:
    target, ref = "org/x; rm -rf ~ $(id) `id`", "./my ckpt'"
    (command,) = reruns.settling([on(engine, ref, target)], [2])
    words = shlex.split(command)
    assert target in words
    assert ref in words


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("draft_length", ("2", "4"), "--speculative-num-steps 4 --speculative-eagle-topk 1 --speculative-num-draft-tokens 5"),
        ("topk", ("1", ""), "a chain on both sides: --speculative-eagle-topk 1"),
        ("target_model", ("org/A", "org/B"), "serve both drafters on one target: --model-path org/Target-8B"),
        ("benchmark", ("", "GSM8K"), "run both on one named benchmark"),
        ("thinking", ("", ""), ""),
    ],
)  # fmt: skip
def test_how_an_axis_is_made_equal(name: str, values: tuple[str, str], words: str) -> None:
    axis = Axis(name, "differs", tuple(AxisValue(value) for value in values), True)
    assert reruns.flags(axis, [drafter("a"), drafter("b")]).startswith(words)
    assert words or not reruns.flags(axis, [drafter("a"), drafter("b")])


def test_every_named_family_is_on_the_shelf() -> None:
    from hubcmp import families
    from hubcmp.shelf import modules

    assert {*reruns.SGLANG, *reruns.VLLM} <= set(modules(families.__name__))
