"""The option `--tessera-update` of pytest."""

from __future__ import annotations

from typing import Any


def pytest_addoption(parser: Any) -> None:
    parser.getgroup("tessera").addoption("--tessera-update", action="store_true",
                                         help="write the golden files of tessera.assert_shardings anew")


def pytest_configure(config: Any) -> None:
    if config.getoption("--tessera-update"):
        from tessera import testing
        testing.update = True
