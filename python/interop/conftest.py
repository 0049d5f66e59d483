"""What the tests of other libraries share: a cache of their own, in which other processes find what was compiled."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory):
    os.environ["REMORA_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    del os.environ["REMORA_CACHE"]
