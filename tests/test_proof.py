"""Frozen copies proved and refuted by comparing a few rows, whatever the dtype and the file format."""

import random
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import nan
from pathlib import Path

import pytest

import hubcmp
from hubcmp.document import Bundle, BytesDocument
from hubcmp.facts import Evidence, Source
from hubcmp.parameters import Ledger, Proof, account, prove
from hubcmp.parameters._rows import cast
from tests.weights import bundle, encode, header, pickled, torch_zip

ROWS, WIDTH, DRAFT = 120, 8, 40
Values = Callable[[int], Sequence[float]]
PLACES = sorted(random.Random(1).sample(range(ROWS), DRAFT))


def copied(row: int) -> list[float]:
    """A row of the target: numbers that BF16 holds exactly."""
    numbers = random.Random(row)
    return cast([numbers.gauss(0, 0.02) for _ in range(WIDTH)], "BF16")


def trained(row: int) -> list[float]:
    return [value * 1.01 + 0.0001 for value in copied(row)]


def own(row: int) -> list[float]:
    return copied(row + 10_000)


def packed(values: Sequence[float], dtype: str) -> bytes:
    if dtype == "BF16":
        return b"".join(struct.pack("<f", v)[2:] for v in cast(values, "BF16"))
    return struct.pack(f"<{len(values)}{dict(F32='f', F16='e')[dtype]}", *values)


def matrix(rows: Sequence[int], values: Values, dtype: str) -> bytes:
    return b"".join(packed(values(row), dtype) for row in rows)


def drafter(embedding: Values | None, head: Values | None = None, dtype: str = "BF16", d2t: bool = True) -> Bundle:
    """An EAGLE-3 of a draft vocabulary with these embedding and head rows."""
    shapes: dict[str, tuple[int, ...]] = {"midlayer.hidden_norm.weight": (WIDTH,)}
    dtypes = {"midlayer.hidden_norm.weight": dtype}
    data = [bytes(2 * WIDTH if dtype != "F32" else 4 * WIDTH)]
    if embedding:
        shapes["embed_tokens.weight"] = (ROWS, WIDTH)
        data.append(matrix(range(ROWS), embedding, dtype))
    if head:
        shapes["lm_head.weight"] = (DRAFT, WIDTH)
        data.append(matrix(PLACES, head, dtype))
    dtypes |= dict.fromkeys(shapes, dtype)
    if d2t:
        shapes, dtypes = shapes | {"d2t": (DRAFT,)}, dtypes | {"d2t": "I64"}
        data.append(struct.pack(f"<{DRAFT}q", *(place - n for n, place in enumerate(PLACES))))
    return bundle(stored(shapes, dtypes, data))


def stored(shapes: Mapping[str, tuple[int, ...]], dtypes: Mapping[str, str], data: Sequence[bytes]) -> BytesDocument:
    return BytesDocument(Source("d", "sha", "model.safetensors"), encode(header(shapes, dtypes)) + b"".join(data))


def target(dtype: str = "BF16", tied: bool = False) -> Bundle:
    shapes = {"model.embed_tokens.weight": (ROWS, WIDTH)} | ({} if tied else {"lm_head.weight": (ROWS, WIDTH)})
    data = [matrix(range(ROWS), copied, dtype)] + ([] if tied else [matrix(range(ROWS), copied, dtype)])
    return bundle(stored(shapes, dict.fromkeys(shapes, dtype), data), ref="target")


def proven(drafter: Bundle, target: Bundle) -> Ledger:
    return prove(account(drafter), drafter, account(target), target)


def proof(ledger: Ledger, role: str) -> Proof:
    return next(p for p in ledger.proofs if p.role == role)


@pytest.mark.parametrize("dtype", ["BF16", "F32", "F16"])
@pytest.mark.parametrize("target_dtype", ["BF16", "F32", "F16"])
def test_equal_rows_prove_a_frozen_copy_in_every_pair_of_dtypes(dtype: str, target_dtype: str) -> None:
    ledger = proven(drafter(copied, copied, dtype), target(target_dtype))
    assert {p.verdict for p in ledger.proofs} == {"identical"} or (dtype, target_dtype) == ("F32", "F16")
    assert proof(ledger, "embedding").rows >= 64


@pytest.mark.parametrize(
    ("values", "verdict", "status"),
    [(copied, "identical", "frozen_copy"), (trained, "close", "trainable"), (own, "unrelated", "trainable")],
)
def test_verdicts_settle_the_status(values: Values, verdict: str, status: str) -> None:
    ledger = proven(drafter(values, values), target())
    assert [p.verdict for p in ledger.proofs] == [verdict, verdict]
    for entry in ledger.entries:
        if entry.role in ("embedding", "lm_head"):
            assert (entry.status, entry.evidence) == (status, Evidence.VERIFIED)
    assert {kind for name, _, kind, _ in ledger.tensors() if name == "embed_tokens.weight"} == {status}


def test_one_changed_row_among_the_low_ids_refutes_the_copy() -> None:
    ledger = proven(drafter(lambda row: own(row) if row == 5 else copied(row)), target())
    found = proof(ledger, "embedding")
    assert (found.verdict != "identical", found.rows - found.equal) == (True, 1)


def test_a_head_slice_is_placed_by_d2t_and_not_compared_without_it() -> None:
    assert proof(proven(drafter(None, copied), target()), "lm_head").equal == DRAFT
    assert "no d2t" in proof(proven(drafter(None, copied, d2t=False), target()), "lm_head").reason


def test_a_tied_target_has_its_embedding_for_a_head() -> None:
    assert proof(proven(drafter(None, copied), target(tied=True)), "lm_head").verdict == "identical"


def test_zero_rows_say_nothing_and_unset_rows_are_named() -> None:
    zeros, nans = drafter(lambda _: [0.0] * WIDTH), drafter(lambda _: [nan] * WIDTH, dtype="F32")
    assert "never set" in proof(proven(zeros, target()), "embedding").reason
    assert "NaN" in proof(proven(nans, target()), "embedding").reason
    empty = bundle(stored({"model.embed_tokens.weight": (ROWS, WIDTH)}, {}, [bytes(2 * ROWS * WIDTH)]))
    both = proven(zeros, empty)
    assert proof(both, "embedding").verdict == "not comparable"
    assert {e.evidence for e in both.entries if e.role == "embedding"} == {Evidence.ASSUMED}


def test_shapes_that_differ_are_not_compared() -> None:
    wide = bundle(stored({"model.embed_tokens.weight": (ROWS, 16)}, {}, [bytes(32 * ROWS)]))
    assert "against" in proof(proven(drafter(copied), wide), "embedding").reason


def test_rows_of_a_torch_file_are_found_behind_their_zip_entry() -> None:
    shapes = {"embed_tokens.weight": (ROWS, WIDTH), "midlayer.hidden_norm.weight": (WIDTH,)}
    content = torch_zip(pickled(shapes), [2 * ROWS * WIDTH, 2 * WIDTH])
    filled = content.replace(bytes(2 * ROWS * WIDTH), matrix(range(ROWS), copied, "BF16"), 1)
    found = bundle(BytesDocument(Source("d", "sha", "pytorch_model.bin"), filled))
    assert proof(proven(found, target()), "embedding").verdict == "identical"


def test_a_target_that_lacks_its_weights_proves_nothing() -> None:
    ledger = proven(drafter(copied), bundle(BytesDocument(Source("t", "sha", "README.md"), b"")))
    assert [p.verdict for p in ledger.proofs] == ["not comparable"]
    assert ledger.by_status["frozen_copy"] == ROWS * WIDTH


def test_a_drafter_inside_its_target_is_held_against_the_model_around_it() -> None:
    shapes = {
        "model.embed_tokens.weight": (ROWS, WIDTH), "lm_head.weight": (ROWS, WIDTH), "model.layers.0.mlp.up_proj.weight": (WIDTH, WIDTH),
        "model.layers.1.embed_tokens.weight": (ROWS, WIDTH), "model.layers.1.shared_head.head.weight": (ROWS, WIDTH),
        "model.layers.1.eh_proj.weight": (WIDTH, 2 * WIDTH),
    }  # fmt: skip
    rows = [matrix(range(ROWS), values, "BF16") for values in (copied, copied)]
    data = [*rows, bytes(2 * WIDTH * WIDTH), rows[0], matrix(range(ROWS), trained, "BF16"), bytes(4 * WIDTH * WIDTH)]
    whole = bundle(stored(shapes, {}, data))
    drafter, around = replace(whole, part="mtp"), replace(whole, part="target")
    ledger = prove(account(drafter), drafter, account(around), around)
    found = {p.role: (p.name, p.target_name, p.verdict) for p in ledger.proofs}
    assert found == {
        "embedding": ("model.layers.1.embed_tokens.weight", "model.embed_tokens.weight", "identical"),
        "lm_head": ("model.layers.1.shared_head.head.weight", "lm_head.weight", "close"),
    }


def test_rows_times_a_factor_are_told_apart_from_training() -> None:
    scaled = proof(proven(drafter(lambda row: [8 * v for v in copied(row)]), target()), "embedding")
    assert (scaled.verdict, scaled.reason) == ("close", "the rows are the target's times 8")


def test_a_packed_target_cannot_be_compared_and_says_what_to_name() -> None:
    packed = stored({"model.embed_tokens.weight": (ROWS, 4), "model.embed_tokens.scales": (ROWS, 1)},
                    {"model.embed_tokens.weight": "U32"}, [bytes(16 * ROWS), bytes(2 * ROWS)])  # fmt: skip
    assert "stored as U32; name the repository" in proof(proven(drafter(copied), bundle(packed)), "embedding").reason


def test_two_tensors_of_one_role_are_settled_one_by_one() -> None:
    shapes = {
        "midlayer.hidden_norm.weight": (WIDTH,),
        "lm_head.weight": (ROWS, WIDTH),
        "verifier_lm_head.weight": (ROWS, WIDTH),
    }
    data = [bytes(2 * WIDTH), matrix(range(ROWS), trained, "BF16"), matrix(range(ROWS), copied, "BF16")]
    ledger = proven(bundle(stored(shapes, {}, data)), target())
    status = {name: kind for name, role, kind, _ in ledger.tensors() if role == "lm_head"}
    assert status == {"lm_head.weight": "trainable", "verifier_lm_head.weight": "frozen_copy"}


def laid_out(bundle: Bundle, folder: Path) -> str:
    """Write a bundle's documents as a checkpoint folder."""
    folder.mkdir()
    for document in bundle.documents:
        (folder / document.source.path).write_bytes(document.read(0, document.size or 0))
    return str(folder)


@pytest.mark.parametrize(("values", "status"), [(copied, "frozen_copy"), (trained, "trainable")])
def test_compare_settles_statuses_by_the_target(values: Values, status: str, tmp_path: Path) -> None:
    one, two = laid_out(drafter(values, values), tmp_path / "one"), laid_out(drafter(None, own), tmp_path / "two")
    found = hubcmp.compare([one, two], target=laid_out(target(), tmp_path / "target"))
    ledger = found.drafters[0].ledger
    assert ledger is not None
    assert {(e.status, e.evidence) for e in ledger.entries if e.role == "embedding"} == {(status, Evidence.VERIFIED)}
    assert "embedding" in hubcmp.render(found, "markdown")
    frozen = next(f for f in found.drafters[0].figures if f.metric == "params_frozen")
    assert (frozen.number > 0) == (status == "frozen_copy")
