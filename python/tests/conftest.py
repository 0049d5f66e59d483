"""What all tests share."""

from __future__ import annotations

import faulthandler
import os
import subprocess
import sys
import textwrap
import zlib
from pathlib import Path

import numpy as np
import pytest

faulthandler.enable()
np.random.seed(0)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the many cases for the reader of NumPy a third runs where `SUITES_PART=PART/PARTS` says that parts are tested by turns."""
    part = os.environ.get("SUITES_PART")
    if not part:
        return
    turn = int(part.split("/")[0]) % 3
    many = ("test_port_functions", "test_port_fields", "test_port_meaning")
    left = {item for item in items if item.path.stem in many and zlib.crc32(item.name.encode()) % 3 != turn}
    items[:] = [item for item in items if item not in left]
    config.hook.pytest_deselected(items=list(left))


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory):
    """A cache of their own, so that what is compiled was compiled by this version."""
    folder = os.environ.get("REMORA_TEST_CACHE") or str(tmp_path_factory.mktemp("cache"))
    before = os.environ.get("REMORA_CACHE")
    os.environ["REMORA_CACHE"] = folder
    yield folder
    if before is None:
        del os.environ["REMORA_CACHE"]
    else:
        os.environ["REMORA_CACHE"] = before


@pytest.fixture
def python(cache: str, tmp_path: Path):
    """Runs a script in another interpreter, in development mode; its standard output."""

    def run(script: str, *arguments: str, env: dict[str, str] | None = None, code: int = 0, timeout: float = 120, options: tuple[str, ...] = ("-X", "dev")) -> str:
        file = tmp_path / "script.py"
        file.write_text(textwrap.dedent(script))
        environment = {**os.environ, "REMORA_CACHE": cache, **(env or {})}
        done = subprocess.run([sys.executable, *options, str(file), *arguments], env=environment, capture_output=True, text=True, timeout=timeout)
        assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    return run
