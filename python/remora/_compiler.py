"""The C compiler that functions are compiled with."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys

from . import _remora

_DONE = False


def provide() -> None:
    """Sees to it that there is one, if the machine has none and the package was installed with the extra `cc`."""
    global _DONE
    if _DONE:
        return
    _DONE = True
    if os.environ.get("CC", "").strip() or shutil.which("cc"):
        return
    found = importlib.util.find_spec("ziglang")
    folders = found.submodule_search_locations if found is not None else None
    for folder in folders or []:
        zig = os.path.join(folder, "zig.exe" if sys.platform == "win32" else "zig")
        if os.path.isfile(zig) and " " not in zig:
            _remora.fall_back_to_compiler(f"{zig} cc")
            return
