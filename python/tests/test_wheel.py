"""What the wheel carries beside the modules: a binary that any Linux runs, and the licences of what is in it."""

import importlib.metadata
import struct

import pytest

from tessera import _binary

_INTERPRETER = 3  # the kind of program header that names a dynamic linker


@pytest.fixture
def binary():
    path = _binary.path()
    if not (path.parent / "licenses").is_dir():
        pytest.skip("not installed from a wheel of build_wheel.sh")
    return path


def test_the_binary_needs_no_shared_library(binary):
    head = binary.read_bytes()
    start, = struct.unpack_from("<Q", head, 32)
    size, count = struct.unpack_from("<HH", head, 54)
    kinds = [struct.unpack_from("<I", head, start + k * size)[0] for k in range(count)]
    assert _INTERPRETER not in kinds


def test_the_wheel_is_for_any_linux_and_any_python(binary):
    tags = importlib.metadata.distribution("tessera").read_text("WHEEL")
    assert "Tag: py3-none-manylinux_2_17_" in tags


def test_licences_of_what_is_linked_in(binary):
    names = {path.stem for path in (binary.parent / "licenses").iterdir()}
    assert {"abseil", "protobuf", "re2", "zlib", "glibc", "libstdc++"} <= names
    assert "Apache License" in (binary.parent / "LICENSE").read_text()
