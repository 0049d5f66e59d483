"""`python -m remora.lint script.py`: exit code 0 without findings, 1 with some, 2 for wrong usage."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import lint, sarif
from .findings import Finding


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="remora lint", description="Looks for mistakes of shape, type and memory in NumPy code.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--format", choices=("text", "sarif"), default="text")
    options = parser.parse_args(arguments)
    found: list[Finding] = []
    for file in options.files:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            print(f"remora lint: {file} cannot be read: {error}", file=sys.stderr)
            return 2
        found += lint(text, str(file))
    if options.format == "sarif":
        print(sarif(found))
    else:
        for finding in found:
            print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
