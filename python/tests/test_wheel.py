"""What the wheel carries beside the modules: an engine that shows nothing of what is in it, and the licences of that."""

import importlib.metadata
import pathlib
import shutil
import subprocess

import pytest

import tessera
from tessera import _engine

FOLDER = pathlib.Path(tessera.__file__).parent


@pytest.fixture
def licenses():
    if not (FOLDER / "licenses").is_dir():
        pytest.skip("not installed from a wheel")
    return FOLDER / "licenses"


def dynamic(*options):
    if shutil.which("readelf") is None:
        pytest.skip("no readelf")
    return subprocess.run(["readelf", *options, "--wide", _engine.__file__], check=True, capture_output=True, text=True).stdout


def test_only_its_entry_is_seen():
    rows = [row.split() for row in dynamic("--dyn-syms").splitlines() if " UND " not in row]
    assert [row[-1] for row in rows if len(row) == 8 and row[4] in ("GLOBAL", "WEAK", "UNIQUE")] == ["PyInit__engine"]


def test_only_libc_is_asked_for():
    needed = {row.split("[")[1].rstrip("]") for row in dynamic("--dynamic").splitlines() if "(NEEDED)" in row}
    assert needed <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}


def test_the_wheel_says_what_it_runs_on(licenses):
    tags = importlib.metadata.distribution("tessera").read_text("WHEEL")
    assert "-manylinux_2_" in tags and ("Tag: cp312-abi3-" in tags or "abi3" not in _engine.__file__)


def test_licences_of_what_is_linked_in(licenses):
    names = {path.stem for path in licenses.iterdir()}
    assert {"abseil", "protobuf", "re2", "zlib", "libstdc++", "nanobind", "robin-map"} <= names
    assert all(path.stat().st_size > 500 for path in licenses.iterdir())
    assert "Apache License" in (FOLDER / "LICENSE").read_text()
