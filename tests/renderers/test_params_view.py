"""The view of `hubcmp params`: the contract's keys with their values, and a report that says the same."""

import json
from pathlib import Path

import pytest

from hubcmp import api
from hubcmp.answers import Ledgers
from hubcmp.parameters import Ledger, account
from hubcmp.renderers import render
from tests import drafters as make
from tests.drafters import LLAMA_8B, QWEN_8B, Size
from tests.weights import bundle, header, ledger, safetensors, text

CONTRACT = {
    "schema_version", "ref", "revision", "family", "format", "params_total_excl_buffers", "elements_total_all_tensors", "payload_bytes",
    "by_role", "by_status", "by_dtype", "status_evidence", "tensor_count", "files", "closed_form", "absent", "warnings",
}  # fmt: skip


@pytest.fixture(scope="module")
def drafter() -> Ledger:
    return ledger(make.eagle3(LLAMA_8B), LLAMA_8B.config(draft_vocab_size=32000))


def data(*items: Ledger, tensors: bool = False) -> list[dict[str, object]]:
    found = json.loads(render(Ledgers(items, tensors), "json"))
    assert isinstance(found, list)
    return found


def test_json_has_the_contract_in_order_of_the_inputs(drafter: Ledger) -> None:
    first, second = data(drafter, ledger(make.medusa(QWEN_8B)))
    assert set(first) >= CONTRACT
    assert (first["family"], second["family"]) == ("eagle3", "medusa")
    assert first["params_total_excl_buffers"] == 424_689_664
    assert first["by_status"] == {"trainable": 424_689_664, "frozen_copy": 0, "buffer": 160_256}
    assert first["by_dtype"] == {"BF16": 424_689_664, "I64": 32_000, "BOOL": 128_256}
    assert first["status_evidence"]["lm_head"] == {
        "status": "trainable",
        "evidence": "assumed",
        "reason": "EAGLE-3 trains it",
    }  # type: ignore[index]
    assert [a["role"] for a in first["absent"]] == ["embedding"]  # type: ignore[attr-defined]
    assert first["closed_form"]["total"] == 424_689_664  # type: ignore[index]


def test_tensors_come_only_when_asked_for(drafter: Ledger) -> None:
    assert "tensors" not in data(drafter)[0]
    assert data(drafter, tensors=True)[0]["tensors"]["d2t"] == ["vocab_map", "buffer", 32000]  # type: ignore[index]


def test_the_report_says_what_the_data_says(drafter: Ledger) -> None:
    report = render(Ledgers((drafter,)), "markdown")
    for figure in ("424,689,664", "131,072,000", "525,336,576 in the target", "160,256 elements"):
        assert figure in report
    assert "loaded from the target" in report
    assert "Family EAGLE-3" in report


def test_all_tensors_are_listed_on_request(drafter: Ledger) -> None:
    assert "midlayer.mlp.up_proj.weight" in render(Ledgers((drafter,), tensors=True), "markdown")


def test_without_a_header_there_are_no_sums() -> None:
    broken = safetensors(header({"a": (2,)}))
    broken.size += 1
    found = data(account(bundle(broken)))[0]
    assert found["params_total_excl_buffers"] is None
    assert found["by_role"] == {}
    assert "the file holds" in str(found["warnings"])
    assert "No parameters counted" in render(Ledgers((account(bundle(text({}, "README.md"))),)), "markdown")


def test_what_is_left_out_and_what_lies_outside_is_named() -> None:
    host = make.plain(QWEN_8B) | make.qwen_mtp(QWEN_8B)
    report = render(
        Ledgers((account(bundle(safetensors(header(host)), more=("consolidated.safetensors", "optimizer.bin"))),)),
        "markdown",
    )
    assert "share this repository" in report
    assert "consolidated copy" in report
    assert "training state" in report


SMALL = Size(1024, 2048, 512, 512, 4, 4, 256)


def checkpoint(folder: Path, card: str) -> Path:
    """An EAGLE-1 of full precision with a card."""
    folder.mkdir()
    weights = safetensors(header(make.eagle1(SMALL), "F32"))
    with (folder / "model.safetensors").open("wb") as file:
        file.write(weights.start)
        file.truncate(weights.size)
    (folder / "config.json").write_text(json.dumps(SMALL.config(architectures=["LlamaForCausalLM"])))
    (folder / "README.md").write_text(card)
    return folder


def test_a_cards_count_is_set_against_the_header_with_its_rest(tmp_path: Path) -> None:
    agreeing = checkpoint(tmp_path / "one", "# Draft head\n\nDraft parameters: 12.6M\n")
    strange = checkpoint(tmp_path / "two", "# Draft head\n\nDraft parameters: 2.6B\n")
    answer = api.params([str(agreeing), str(strange)])
    one, two = (item["waterfall"] for item in json.loads(render(answer, "json")))
    trainable = answer.items[0].by_status["trainable"]
    assert trainable == 6 * 1024 * 1024 + 3 * 1024 * 2048 + 1024
    assert [step["note"] for step in one if step["step"].startswith("the card")] == ["agrees with: trainable"]
    assert two[-1]["step"] == "rest"
    assert two[-1]["value"] == 2_600_000_000 - (trainable + 512 * 1024)
    assert "F32 (4 bytes an element)" in render(answer, "markdown")
    assert "agrees with: trainable" in render(api.compare([str(agreeing), str(strange)]), "markdown")


def test_a_copy_is_told_with_what_it_holds() -> None:
    shard, copy = (safetensors(header(make.plain(SMALL)), p) for p in ("model.safetensors", "consolidated.safetensors"))
    found = account(bundle(shard, copy))
    assert [(item.path, item.size) for item in found.files.left_out] == [("consolidated.safetensors", copy.size)]
    assert "about" in render(Ledgers((found,)), "markdown")
