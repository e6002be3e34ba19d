"""Cards per second, MB/s and peak memory of the card reader.

    python benchmarks/cards.py [FOLDER] [--repeat N]

Reads every card of a folder (default: the fixtures), then one synthetic card of 1 MB.
"""

import argparse
import time
import tracemalloc
from pathlib import Path

from hubcmp.document import BytesDocument
from hubcmp.facts import Source
from hubcmp.readers.card import PLUGIN

FIXTURES = Path(__file__).parents[1] / "fixtures" / "readers" / "card"
SENTENCE = "On GSM8K number {} the accept length is 3.12 tokens per step with bs=8 on one H100 (T=0).\n\n"


def measure(cards: list[bytes]) -> tuple[float, float]:
    """Seconds to read all cards, and the peak of traced memory in MB of a second, traced pass over the largest."""
    start = time.perf_counter()
    for content in cards:
        PLUGIN.read(BytesDocument(Source("bench/card", "", "README.md"), content))
    seconds = time.perf_counter() - start
    tracemalloc.start()
    PLUGIN.read(BytesDocument(Source("bench/card", "", "README.md"), max(cards, key=len)))
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return seconds, peak


def report(name: str, cards: list[bytes]) -> None:
    seconds, peak = measure(cards)
    size = sum(map(len, cards)) / 1e6
    print(f"{name}: {len(cards) / seconds:,.1f} cards/s, {size / seconds:.3f} MB/s, peak {peak:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FIXTURES)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    cards = [p.read_bytes() for p in sorted(arguments.folder.glob("*.md"))]
    if not cards:
        parser.error(f"{arguments.folder} holds no .md file")
    report(f"{len(cards)} cards", cards)
    # vocabulary compiled and frequent texts known; each repetition changes the card
    fresh = [c + f"\n\nNote {n}.\n".encode() for n in range(arguments.repeat) for c in cards]
    report(f"{len(fresh)} cards again", fresh)
    report("one card of 1 MB", ["".join(SENTENCE.format(n) for n in range(11_000)).encode()[:1_000_000]])


if __name__ == "__main__":
    main()
