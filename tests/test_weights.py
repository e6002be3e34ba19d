"""Which files count: one set, chosen by name, with a reason for each file left out."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hubcmp.errors import FormatError
from hubcmp.weights import contained, index_of, parse_index, weight_documents

INDEX = "model.safetensors.index.json"
SHARDS = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")


def indexed(*files: str) -> bytes:
    return json.dumps({"metadata": {"total_size": 5}, "weight_map": {f"t{n}": f for n, f in enumerate(files)}}).encode()


@pytest.mark.parametrize(
    ("paths", "counted"),
    [
        (["config.json", "README.md"], ()),
        (["model.safetensors", "pytorch_model.bin", "model.gguf"], ("model.safetensors",)),
        (["model.fp16.safetensors", "model.safetensors"], ("model.safetensors",)),
        ([*SHARDS, "consolidated.safetensors"], SHARDS),
        (["consolidated.safetensors"], ("consolidated.safetensors",)),
        (["pytorch_model.bin", "training_state.pt", "optimizer.bin"], ("pytorch_model.bin",)),
        (["training_state.pt", "scheduler.pt", "rng_state_0.pth", "training_args.bin", "global_step1_optim_states.pt"], ()),
        (["medusa_lm_head.pt", "other.pt"], ("medusa_lm_head.pt",)),
        (["draft.safetensors"], ("draft.safetensors",)),
        (["pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin"],
         ("pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin")),
        (["original/consolidated.00.pth", "model.safetensors"], ("model.safetensors",)),
        (["checkpoint-9/model.safetensors"], ("checkpoint-9/model.safetensors",)),
        (["model-1-of-2.safetensors", "model-2-of-2.safetensors", "model.fp8-1-of-2.safetensors"],
         ("model-1-of-2.safetensors", "model-2-of-2.safetensors")),
        ([".metadata", "__0_0.distcp"], (".metadata",)),
        (["model-Q4_K.gguf"], ("model-Q4_K.gguf",)),
    ],
)  # fmt: skip
def test_one_set_of_files_counts(paths: list[str], counted: tuple[str, ...]) -> None:
    choice = weight_documents(paths)
    assert choice.counted == counted
    assert all(item.reason for item in choice.left_out)
    assert set(counted).isdisjoint(item.path for item in choice.left_out)


def test_an_index_decides_over_a_stray_single_file() -> None:
    index = parse_index(indexed(*SHARDS), INDEX)
    choice = weight_documents([*SHARDS, "model.safetensors"], index)
    assert (choice.counted, choice.index) == (SHARDS, INDEX)
    assert choice.left_out[0].path == "model.safetensors"


def test_an_index_of_pickles_does_not_beat_safetensors() -> None:
    index = parse_index(indexed("pytorch_model-00001-of-00001.bin"), "pytorch_model.bin.index.json")
    choice = weight_documents(["model.safetensors", "pytorch_model-00001-of-00001.bin"], index)
    assert choice.counted == ("model.safetensors",)


def test_missing_shards_are_named() -> None:
    assert weight_documents(SHARDS[:1], parse_index(indexed(*SHARDS), INDEX)).missing == SHARDS[1:]
    assert weight_documents(SHARDS[:1]).missing == ("1 shards",)


def test_variants_are_named_as_such() -> None:
    reasons = {
        item.path: item.reason for item in weight_documents(["model.safetensors", "model.fp16.safetensors"]).left_out
    }
    assert reasons == {"model.fp16.safetensors": "variant fp16 of the counted weights"}


def test_the_index_of_safetensors_is_read_first() -> None:
    assert index_of(["pytorch_model.bin.index.json", INDEX, "sub/x.safetensors.index.json"]) == INDEX
    assert index_of(["consolidated.safetensors.index.json"]) == "consolidated.safetensors.index.json"
    assert index_of(["config.json"]) == ""


HOSTILE = [
    "../../../../other-org/private-model/resolve/main/model.safetensors", "/etc/hostname", "sub/../../x.safetensors",
    "http://127.0.0.1:9/x.safetensors", "bad\0name.safetensors", "..\\..\\x.safetensors", "C:/x.safetensors", "x.safetensors?y",
    "%2e%2e/x.safetensors", "a//b.safetensors", "./x.safetensors", "config.json", "x" * 600 + ".safetensors", "a\u202e.safetensors",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_names_that_lead_elsewhere_are_refused(name: str) -> None:
    assert not contained(name)
    index = parse_index(indexed(name, "ok.safetensors", "sub/ok.safetensors"), INDEX)
    assert index.files == ("ok.safetensors", "sub/ok.safetensors")
    assert len(index.refused) == 1
    assert index.refused[0].isprintable()


def test_names_that_are_no_text_are_refused() -> None:
    index = parse_index(b'{"weight_map": {"a": 7, "b": null, "c": ["x"], "d": "ok.safetensors"}}', INDEX)
    assert (index.files, len(index.refused)) == (("ok.safetensors",), 3)


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b'{"weight_map": ' + b"[" * 10**5])
def test_an_index_that_is_no_object_is_refused(raw: bytes) -> None:
    with pytest.raises(FormatError):
        parse_index(raw, INDEX)


def test_odd_indexes_are_empty() -> None:
    for raw in (
        b"{}",
        b'{"weight_map": []}',
        b'{"weight_map": null, "metadata": 5}',
        b'{"metadata": {"total_size": "5"}}',
    ):
        index = parse_index(raw, INDEX)
        assert (index.files, dict(index.declared)) == ((), {})


@given(
    st.lists(
        st.text(min_size=1, max_size=20).map(lambda s: s + ".safetensors")
        | st.sampled_from([*SHARDS, "model.safetensors"])
    )
)
def test_every_weight_file_is_counted_or_left_out_once(paths: list[str]) -> None:
    choice = weight_documents(paths)
    assert sorted([*choice.counted, *(item.path for item in choice.left_out)]) == sorted(set(paths))
