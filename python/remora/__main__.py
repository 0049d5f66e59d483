"""`python -m remora` and the command `remora`."""

from __future__ import annotations

import sys

from . import _remora
from ._compiler import provide


def main() -> int:
    """The command line."""
    provide()
    return _remora.command([sys.executable, "-m", "remora"], ["remora", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
