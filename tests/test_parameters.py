"""The ledger: the founding gap, packed weights, repositories with several weight files, drafters inside their target."""

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hubcmp.document import Bundle, Document, FileEntry
from hubcmp.facts import Evidence, Fact, Source, Span
from hubcmp.parameters import Ledger, account, reconcile, waterfall
from hubcmp.readers import config as config_reader
from tests import drafters as make
from tests.drafters import LLAMA_8B, QWEN_8B, Size
from tests.weights import bundle, header, ledger, safetensors, text

STORY = Path(__file__).parents[1] / "fixtures" / "story"


def repository(*documents: Document, config: dict[str, Any] | None = None, **options: Any) -> Ledger:
    """The ledger of a repository of several files."""
    if config is None:
        return account(bundle(*documents, **options))
    document = text(config, "config.json")
    return account(bundle(*documents, document, **options), config_reader.read(document))


def story(folder: Path) -> Ledger:
    config = text((folder / "config.json").read_bytes(), "config.json")
    weights = safetensors(json.loads((folder / "model.safetensors.header.json").read_text()))
    return account(bundle(weights, config, ref=folder.name), config_reader.read(config))


@pytest.fixture(scope="module")
def founding() -> tuple[Ledger, Ledger]:
    return story(next((STORY / "hub").rglob("config.json")).parent), story(STORY / "ckpt")


def test_the_founding_gap_is_one_embedding_and_a_larger_draft_vocabulary(founding: tuple[Ledger, Ledger]) -> None:
    theirs, ours = founding
    assert (theirs.params_total_excl_buffers, ours.params_total_excl_buffers) == (1_190_948_864, 2_594_729_984)
    assert (theirs.by_status["trainable"], ours.by_status["trainable"]) == (1_190_948_864, 1_420_324_864)
    gap = reconcile(theirs, ours)
    assert (gap.gap, gap.rest) == (1_403_781_120, 0)
    embedding, head, *equal = gap.rows
    assert [(row.role, row.gap) for row in (embedding, head)] == [
        ("embedding", 1_174_405_120),
        ("lm_head", 229_376_000),
    ]
    assert {(row.role, row.gap) for row in equal} == {("attention", 0), ("mlp", 0), ("fusion", 0), ("norm", 0)}
    assert (embedding.left_text, embedding.right_text) == ("absent: loaded from the target", "163,840 x 7,168")
    assert (head.left_text, head.right_text) == ("32,000 x 7,168", "64,000 x 7,168")
    assert "draft vocabulary" in head.reason


def test_facts_carry_their_evidence_and_the_tensor_they_were_read_from(founding: tuple[Ledger, Ledger]) -> None:
    facts = {fact.metric: fact for fact in founding[1].facts()}
    assert facts["params_stored"].number == 2_594_729_984
    assert facts["params_stored"].evidence is Evidence.OBSERVED
    assert facts["params_trainable"].evidence is Evidence.ASSUMED
    assert facts["params_frozen"].number == 1_174_405_120
    assert facts["buffer_elements"].number == 227_840
    assert facts["payload_bytes"].unit == "B"
    assert facts["params.lm_head"].sources[0].where == "header: lm_head.weight"
    assert "params.vocab_map" not in facts


def test_a_ledger_pickles(founding: tuple[Ledger, Ledger]) -> None:
    assert pickle.loads(pickle.dumps(founding[1])) == founding[1]


def test_reconciling_alike_drafters_leaves_nothing(founding: tuple[Ledger, Ledger]) -> None:
    gap = reconcile(founding[0], founding[0])
    assert (gap.gap, gap.rest) == (0, 0)
    assert {row.gap for row in gap.rows} == {0}


def test_what_the_headers_do_not_explain_is_the_rest() -> None:
    left = ledger({"fc.weight": (4, 12), "midlayer.hidden_norm.weight": (4,)})
    right = ledger({"fc.weight": (4, 12), "midlayer.hidden_norm.weight": (4,), "strange.weight": (5,)})
    gap = reconcile(left, right)
    assert (gap.gap, gap.rest, gap.rows[0].reason) == (5, 5, "")


def test_different_families_are_reconciled_role_by_role() -> None:
    gap = reconcile(ledger(make.eagle3(QWEN_8B)), ledger(make.dspark(QWEN_8B)))
    reasons = {row.role: row.reason for row in gap.rows}
    assert reasons["markov_head"] == "only DSpark has it"
    assert "loaded from the target" in reasons["lm_head"]
    assert "tensors" in reasons["mlp"]
    assert gap.rest == 0


def test_a_conversion_that_adds_embedding_and_head_and_recasts_the_rest_trains_nothing_new() -> None:
    original = ledger(make.eagle1(LLAMA_8B), dtypes="F16")
    added = {"embed_tokens.weight": (128256, 4096), "lm_head.weight": (128256, 4096)}
    converted = ledger(make.eagle1(LLAMA_8B) | added, dtypes="F32", ref="converted")
    assert converted.by_status["trainable"] == original.by_status["trainable"]
    gap = reconcile(original, converted)
    reasons = {row.role: row.reason for row in gap.rows}
    assert "stored by converted" in reasons.pop("lm_head")
    assert set(reasons.values()) == {"equal on both sides; stored as F16 against F32"}
    assert gap.rest == 0


def claim(value: float, raw: str) -> Fact:
    return Fact("parameters", Span.of(value), "params", Evidence.STATED, "prose", (Source("x"),), raw=raw)


def test_a_card_that_counts_what_was_trained_agrees_with_a_larger_file() -> None:
    size = Size(4096, 11008, 32000, 32000, 32, 32, 128)
    found = ledger(make.eagle1(size, bias=True), {"architectures": ["LlamaForCausalLM"], "hidden_size": 4096}, "F32")
    assert (found.params_total_excl_buffers, found.payload_bytes) == (367_009_792, 1_468_039_168)
    assert found.by_status == {"trainable": 235_937_792, "frozen_copy": 131_072_000, "buffer": 0}
    assert waterfall(found, [claim(0.24e9, "0.24B")])[-1].note == "agrees with: trainable"


def test_a_hub_count_of_drafter_and_target_together_is_explained() -> None:
    host, own = make.plain(QWEN_8B), make.qwen_mtp(QWEN_8B)
    shared = bundle(safetensors(header(host | own)))
    both = account(shared).elements_total_all_tensors + account(shared).outside.elements
    found = account(replace(shared, info={"safetensors": {"total": both}}))
    assert waterfall(found)[-1].note == "agrees with: with what else lies in the repository"


def test_a_claim_that_fits_nothing_keeps_its_rest() -> None:
    found = ledger(make.eagle3(LLAMA_8B))
    stated, rest = waterfall(found, [claim(1e9, "1.0B")])[-2:]
    assert (stated.value, "agrees with none" in stated.note) == (10**9, True)
    assert (rest.name, rest.value) == ("rest", 10**9 - found.elements_total_all_tensors)


def test_whole_numbers_that_are_not_packed_are_buffers() -> None:
    found = ledger({"position_ids": (512,), "norm.weight": (4,)}, dtypes={"position_ids": "I64"})
    assert found.by_status["buffer"] == 512


def test_an_unknown_dtype_is_named_and_not_counted() -> None:
    entries = {"a": {"dtype": "F3", "shape": [8], "data_offsets": [0, 3]}}
    found = repository(safetensors(entries))
    assert (found.params_total_excl_buffers, found.tensor_count) == (0, 1)
    assert "F3" in found.entries[0].reason


def index(names: dict[str, object], path: str = "model.safetensors.index.json", **metadata: int) -> Document:
    return text({"metadata": metadata, "weight_map": names}, path)


SHARD = "model-00001-of-00001.safetensors"


def test_headers_win_over_the_totals_of_the_index() -> None:
    shapes = {"model.layers.0.mlp.up_proj.weight": (1024, 512), "model.norm.weight": (512,)}
    found = repository(
        safetensors(header(shapes), SHARD), index(dict.fromkeys(shapes, SHARD), total_parameters=333, total_size=999)
    )
    assert (found.params_total_excl_buffers, found.payload_bytes) == (524_800, 1_049_600)
    stale = [w for w in found.warnings if "the headers count" in w]
    assert len(stale) == 2
    assert all("model.safetensors.index.json metadata.total_" in w for w in stale)


def test_a_consolidated_copy_is_listed_and_not_added() -> None:
    shapes = {"model.fc.weight": (64, 192), "model.norm.weight": (64,)}
    copy = safetensors(header({"fc.weight": (64, 192), "norm.weight": (64,)}), "consolidated.safetensors")
    found = repository(copy, safetensors(header(shapes), SHARD), index(dict.fromkeys(shapes, SHARD)))
    assert found.params_total_excl_buffers == 12_352
    assert found.files.counted == (SHARD,)
    assert "listed by" in found.files.reason
    assert [(item.path, "consolidated" in item.reason) for item in found.files.left_out] == [
        ("consolidated.safetensors", True)
    ]


def test_index_and_shards_are_checked_both_ways() -> None:
    found = repository(safetensors(header({"a": (2,), "b": (2,)}), SHARD), index({"a": SHARD, "c": SHARD}))
    assert any("1 tensors are listed but not in the shard named, such as c" in w for w in found.warnings)
    assert any("1 tensors are in a shard but not listed, such as b" in w for w in found.warnings)


def test_a_missing_shard_makes_the_count_incomplete() -> None:
    names = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    found = repository(safetensors(header({"a": (2,)}), names["a"]), index(dict(names)))
    assert any("incomplete" in warning for warning in found.warnings)


def test_a_tensor_in_two_shards_counts_once() -> None:
    first, second = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
    found = repository(
        safetensors(header({"a": (2,), "b": (3,)}), first), safetensors(header({"a": (2,), "c": (5,)}), second)
    )
    assert found.elements_total_all_tensors == 10
    assert any("two shards" in warning for warning in found.warnings)


def test_names_that_leave_the_repository_are_refused_in_one_problem() -> None:
    names: dict[str, object] = {"a": "../../other/model.safetensors", "b": "/etc/hostname", "e": SHARD, "h": 7}
    found = repository(safetensors(header({"e": (2,)}), SHARD), index(names))
    assert found.elements_total_all_tensors == 2
    assert [p.failed for p in found.problems] == [True]
    assert "/etc/hostname" in str(found.problems[0])


def test_a_refused_file_is_a_problem_and_the_rest_is_still_told() -> None:
    broken = safetensors(header({"a": (2,)}))
    broken.size += 1
    found = repository(broken, config=LLAMA_8B.config(architectures=["LlamaForCausalLMEagle3"]))
    assert (found.entries, found.family, found.facts()) == ((), "eagle3", ())
    assert [p.failed for p in found.problems] == [True]


def test_a_pickle_that_was_not_fetched_is_estimated_from_its_size() -> None:
    config = text({"torch_dtype": "float16"}, "config.json")
    files = (FileEntry("pytorch_model.bin", 850_000_000), FileEntry("README.md", 10))
    found = account(Bundle("x", "hub", "sha", documents=(config,), files=files), config_reader.read(config))
    assert found.estimate is not None
    assert found.estimate.number == 425_000_000
    assert found.estimate.evidence is Evidence.ESTIMATED
    assert found.facts() == (found.estimate,)


def test_a_tied_model_with_both_tensors_is_a_possible_duplicate() -> None:
    config = LLAMA_8B.config(tie_word_embeddings=True)
    found = ledger(make.plain(LLAMA_8B), config)
    assert any("possible duplicate of the embedding" in w and "not checked" in w for w in found.warnings)
    assert not any("duplicate" in w for w in ledger(make.plain(LLAMA_8B, tied=True), config).warnings)


@pytest.mark.parametrize(
    "guest",
    [
        make.qwen_mtp(QWEN_8B),
        make.nextn(QWEN_8B, 2),
        {"mtp." + name: shape for name, shape in make.dspark(QWEN_8B).items()},
        {"dspark." + name: shape for name, shape in make.dspark(QWEN_8B).items()},
    ],
    ids=["mtp", "nextn", "dspark under mtp", "dspark"],
)
def test_a_drafter_inside_its_target_is_counted_and_the_target_is_not(guest: make.Shapes) -> None:
    host = make.plain(QWEN_8B) | {"model.visual.patch.weight": (8, 8)}
    found, alone = ledger(host | guest, QWEN_8B.config()), ledger(guest, QWEN_8B.config())
    assert found.params_total_excl_buffers == alone.params_total_excl_buffers
    assert found.outside.tensors == len(host)
    assert found.family == alone.family
    assert {name for name, *_ in found.tensors()} == set(guest)


def test_a_part_of_a_repository_can_be_named() -> None:
    host, own = make.plain(QWEN_8B), make.qwen_mtp(QWEN_8B)
    spark = {"dspark." + name: shape for name, shape in make.dspark(QWEN_8B).items()}
    whole = bundle(safetensors(header(host | own | spark)))
    parts = {part: account(replace(whole, part=part)) for part in ("", "mtp", "dspark", "target", "medusa_head")}
    sizes = {part: {name for name, *_ in found.tensors()} for part, found in parts.items()}
    assert sizes == {"": {*own, *spark}, "mtp": {*own}, "dspark": {*spark}, "target": {*host}, "medusa_head": set()}
    assert (parts["mtp"].family, parts["dspark"].family, parts["target"].family) == ("mtp", "dspark", "plain")
    assert [p.failed for p in parts["medusa_head"].problems] == [True]
    assert parts["target"].outside.tensors == len(own) + len(spark)


def test_a_file_that_is_all_one_drafter_is_that_part() -> None:
    shapes = make.mimo_mtp(QWEN_8B, "mtp_layers.0.") | {"embed_tokens.weight": (151936, 4096)}
    whole = bundle(safetensors(header(shapes)))
    assert account(replace(whole, part="mtp")).tensor_count == len(shapes)
    assert account(replace(whole, part="target")).tensor_count == len(shapes)
    assert account(replace(whole, part="dspark")).tensor_count == 0


def test_a_target_without_a_drafter_is_a_plain_model() -> None:
    found = ledger(make.plain(QWEN_8B), QWEN_8B.config(num_hidden_layers=2, num_nextn_predict_layers=0))
    assert (found.family, found.outside.tensors) == ("plain", 0)


def test_a_head_count_in_the_config_does_not_beat_the_file() -> None:
    size = Size(4096, 11008, 32000, 32000, 32, 32, 128)
    found = ledger(make.medusa(size), size.config(medusa_num_heads=2, medusa_num_layers=1))
    assert found.params_total_excl_buffers == 739_266_560
    assert found.closed_form is not None
    assert found.closed_form.rest == 739_266_560 * 3 // 5


def test_a_size_that_the_config_lacks_is_named() -> None:
    found = ledger(make.medusa(QWEN_8B), {"medusa_num_heads": 5})
    assert found.closed_form is not None
    assert (found.closed_form.missing, found.closed_form.rows) == ("hidden_size", ())


def test_a_bundle_without_weights_has_no_figures() -> None:
    found = account(bundle(text({}, "README.md")))
    assert (found.entries, found.facts(), found.estimate) == ((), (), None)
