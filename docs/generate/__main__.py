"""`python -m docs.generate`: writes what is made from the code, and the picture of a card."""

import sys
from pathlib import Path

from docs.generate.card_picture import card_picture
from docs.generate.pages import pages

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "pictures" / "card.svg"


def main() -> None:
    """Write each file whose text has changed, and say so."""
    for path, text in {**pages(), PICTURE.relative_to(ROOT).as_posix(): card_picture()}.items():
        file = ROOT / path
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path} is written anew\n")


if __name__ == "__main__":
    main()
