"""torch.distributed checkpoints: sizes and dtypes from `.metadata`, training state left out."""

from pathlib import Path

import pytest

from hubcmp.document import BytesDocument
from hubcmp.errors import FormatError
from hubcmp.facts import Source
from hubcmp.parameters import account
from hubcmp.readers.distcp import read
from tests.weights import bundle, pickled

CONTENT = (Path(__file__).parents[2] / "fixtures" / "readers" / "distcp" / ".metadata").read_bytes()


def document(content: bytes) -> BytesDocument:
    return BytesDocument(Source("test", "sha", ".metadata"), content)


def test_metadata_written_by_torch_gives_the_table() -> None:
    table = read(document(CONTENT)).tensors
    assert table is not None
    assert [(t.name, t.dtype, t.shape) for t in table.tensors] == [
        ("model.fc.weight", "BF16", (4, 12)), ("model.layers.0.hidden_norm.weight", "F32", (4,)), ("model.d2t", "I64", (3,)),
    ]  # fmt: skip
    assert table.payload_bytes == 96 + 16 + 24


def test_the_ledger_counts_it_and_names_the_data_files() -> None:
    ledger = account(bundle(document(CONTENT), more=("__0_0.distcp", "__1_0.distcp")))
    assert (ledger.format, ledger.family, ledger.params_total_excl_buffers) == ("distcp", "eagle3", 52)
    assert [item.path for item in ledger.files.left_out] == ["__0_0.distcp", "__1_0.distcp"]


@pytest.mark.parametrize("content", [b"", b"\x80\x02cos\nsystem\n.", pickled({"a": (1,)}), CONTENT[:900]])
def test_anything_else_is_refused(content: bytes) -> None:
    with pytest.raises(FormatError):
        read(document(content))
