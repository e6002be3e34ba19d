"""Full-size weight files that take no room: a real header, then a hole where the weights would be.

python scripts/sparse.py HEADER.json OUT.safetensors
"""

import json
import struct
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_safetensors(header: Mapping[str, Any], path: Path) -> int:
    """Write a sparse .safetensors file with this header ({name: {dtype, shape, data_offsets}}); return its apparent size in bytes."""
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    data = max((t["data_offsets"][1] for name, t in header.items() if name != "__metadata__"), default=0)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + data)
    return 8 + len(text) + data


def main() -> None:
    source, target = map(Path, sys.argv[1:3])
    size = write_safetensors(json.loads(source.read_text()), target)
    print(f"{target}: {size:,} bytes apparent, {target.stat().st_blocks * 512:,} on disk")


if __name__ == "__main__":
    main()
