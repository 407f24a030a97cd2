#!/usr/bin/env python3
"""A registry of Bazel modules on this disk, made of source packages: what a build with MODULE.bazel resolves where there is no network.

    registry.py FOLDER PACKAGES MODULE.bazel ..

PACKAGES holds the original sources of the distribution's packages (`*.orig.tar.*`). Every `bazel_dep` that is reached from the MODULE.bazel
files named becomes an entry of FOLDER/modules, in each version that someone asks for: one of the source packages below, or an empty
module for what no target here needs (archives for other systems, rules of other languages). Bazel takes `--registry=file://FOLDER`.
"""

import json
import pathlib
import re
import shutil
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent

# Module: source package, and whether overlay/MODULE.BUILD stands for a BUILD file that asks for more than is here.
SOURCES = {
    "abseil-cpp": ("abseil", False),
    "cli11": ("cli11", True),
    "googletest": ("googletest", False),
    "nlohmann_json": ("nlohmann-json3", False),
    "protobuf": ("protobuf", True),
    "re2": ("re2", False),
    "tomlplusplus": ("tomlplusplus", True),
    "zlib": ("zlib", True),
}

_CALL = re.compile(r"^bazel_dep\((.*?)\)", re.M | re.S)
_MODULE = re.compile(r"^module\((.*?)\)\n", re.M | re.S)
_WORD = r"\b{}\s*=\s*\"([^\"]*)\""


def word(call, key):
    found = re.search(_WORD.format(key), call)
    return found[1] if found else ""


def dependencies(text, is_main=False):
    """(name, version) of what a module asks for; for its own development only where it may be the main one."""
    calls = [call for call in _CALL.findall(text) if is_main or not re.search(r"dev_dependency\s*=\s*True", call)]
    return {(word(call, "name"), word(call, "version")) for call in calls if word(call, "version")}


def unpack(name, packages, sources):
    """The source package of a module, ready for Bazel; its folder."""
    package, has_overlay = SOURCES[name]
    folder = sources / name
    archive, = packages.glob(f"{package}_*.orig.tar.*")
    scratch = sources / f"{name}.unpacking"
    with tarfile.open(archive) as tar:
        tar.extractall(scratch)
    top, = scratch.iterdir()
    top.rename(folder)
    scratch.rmdir()
    if has_overlay:
        for old in [*folder.rglob("BUILD"), *folder.rglob("BUILD.bazel"), *folder.glob("MODULE.bazel")]:
            old.unlink()
        shutil.copytree(HERE / "overlay" / name, folder, dirs_exist_ok=True)
    return folder


def module_text(folder, name, version):
    """The module's own text, with the version of the request."""
    text = (folder / "MODULE.bazel").read_text()
    text = text if _MODULE.search(text) else "module()\n" + text
    level = re.search(r"compatibility_level\s*=\s*\d+", text)
    options = [f'name = "{name}"', f'version = "{version}"'] + ([level[0]] if level else [])
    return _MODULE.sub(lambda _: f"module({', '.join(options)})\n", text, count=1)


def add(registry, packages, name, version):
    """The entry of a module; its text."""
    folder = registry / "sources" / name
    if not folder.exists():
        if name in SOURCES:
            unpack(name, packages, registry / "sources")
        else:
            folder.mkdir()
            (folder / "BUILD").write_text("")
    (folder / "MODULE.bazel").touch()
    text = module_text(folder, name, version)
    entry = registry / "modules" / name / version
    entry.mkdir(parents=True)
    (entry / "MODULE.bazel").write_text(text)
    (entry / "source.json").write_text(json.dumps({"type": "local_path", "path": name}))
    return text


def main(registry, packages, *modules):
    registry, packages = pathlib.Path(registry), pathlib.Path(packages)
    shutil.rmtree(registry, ignore_errors=True)
    (registry / "sources").mkdir(parents=True)
    (registry / "bazel_registry.json").write_text(json.dumps({"module_base_path": "sources"}))
    added = set()
    wanted = set().union(*(dependencies(pathlib.Path(module).read_text(), is_main=True) for module in modules))
    while wanted:
        texts = [add(registry, packages, *one) for one in sorted(wanted)]
        added |= wanted
        wanted = set().union(*map(dependencies, texts)) - added
    stubs = sorted({name for name, _ in added} - set(SOURCES))
    print(f"{len(added)} entries; from source packages: {', '.join(sorted(SOURCES))}; empty: {', '.join(stubs)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
