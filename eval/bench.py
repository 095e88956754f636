"""`make bench`: a large local mailbox, a large account, the server under load and its start.

Each part is a file of its own, `bench_*.py`. `python -m eval.bench mailbox served` renews only these parts of docs/benchmarks.md. All of it
takes about half an hour; other work on the machine shows in the figures.
"""

import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

from eval import bench_ingest, bench_mailbox, bench_served, bench_startup

HEAD = "# Benchmarks\n\nWritten by `make bench`; how each is measured is told at the top of `eval/bench_*.py`.\n\n"
TARGET = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
PARTS = {
    "mailbox": bench_mailbox,
    "ingest": bench_ingest,
    "served": bench_served,
    "startup": bench_startup,
}


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
    names = sys.argv[1:] or list(PARTS)
    if unknown := [name for name in names if name not in PARTS]:
        sys.exit(f"error: {unknown[0]} is no part; there are {', '.join(PARTS)}")
    sections = _sections(TARGET.read_text(encoding="utf-8")) if TARGET.exists() else {}
    for name in names:
        section = PARTS[name].section()
        head, _, text = section.partition("\n")
        sections[head] = f"{head}\n\n{machine()}\n{text}"
        print(section, flush=True)
    TARGET.write_text(HEAD + "\n".join(sections.values()), encoding="utf-8")


def _sections(text: str) -> dict[str, str]:
    """Heading → section, headings included."""
    parts = [f"## {part}" for part in text.split("\n## ")[1:]]
    return {part.partition("\n")[0]: part.rstrip("\n") + "\n" for part in parts}


if __name__ == "__main__":
    main()
