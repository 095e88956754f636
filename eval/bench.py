"""`make bench`: what a mail costs outside the model, what a long past costs, what sorting costs, a large account, finding products.

Each part is a file of its own, `bench_*.py`, and can be run alone. It takes about half an hour; other work on the machine shows in
the figures.
"""

import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

from eval import bench_floor, bench_growth, bench_ingest, bench_organizer, bench_resolution

TARGET = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
PARTS = (bench_floor, bench_growth, bench_organizer, bench_ingest, bench_resolution)


def machine() -> str:
    """What the figures were measured on."""
    cpus = [line.partition(":")[2] for line in _lines(Path("/proc/cpuinfo")) if line.startswith("model name")]
    memory = [
        int(line.split()[1]) / 2**20 for line in _lines(Path("/proc/meminfo")) if line.startswith("MemTotal")
    ]
    told = [f"{len(cpus)} × {cpus[0].strip()}" if cpus else "", f"{memory[0]:.0f} GiB" if memory else ""]
    told += [platform.machine(), platform.system(), f"Python {platform.python_version()}"]
    return f"Machine: {', '.join(filter(None, told))}; {datetime.now(UTC):%Y-%m-%d}."


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def main() -> None:
    """Measure, write the tables, print them."""
    head = f"# Benchmarks\n\nWritten by `make bench`. {machine()}\n"
    text = head
    for part in PARTS:
        text += "\n" + part.section()
        print(f"{part.__name__} is done", file=sys.stderr, flush=True)
    TARGET.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
