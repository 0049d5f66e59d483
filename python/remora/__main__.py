"""`python -m remora` and the command `remora`."""

from __future__ import annotations

import sys

from . import _remora
from ._compiler import provide


def main() -> int:
    """The command line."""
    provide()
    if sys.argv[1:2] == ["port"]:
        from .port.command import main as port

        return port(sys.argv[2:])
    if sys.argv[1:2] == ["lint"]:
        from .lint.__main__ import main as lint

        return lint(sys.argv[2:])
    return _remora.command([sys.executable, "-m", "remora"], ["remora", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
