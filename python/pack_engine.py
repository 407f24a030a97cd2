"""Builds the engine for the Python that asks for the wheel, packs it, and tags the wheel for the machines that it runs on.

| given | packed |
|---|---|
| nothing | what Bazel makes of //python/engine:package, here and now |
| TESSERA_ENGINE | that file, made so before |

The tag is what the engine itself asks for: the version of Python's stable ABI (3.12; an older Python is served by a wheel of its own), and
the oldest glibc that has every symbol. messages.py is written out of the schema of the answers (answer_classes.py). An editable install has both
beside the sources.
"""

import os
import pathlib
import platform
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile

import nanobind
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_TARGET = "//python/engine:package"


class PackEngine(BuildHookInterface):

    def initialize(self, version, build_data):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tessera_wheel_"))
        with tarfile.open(os.environ.get("TESSERA_ENGINE") or self.build()) as tar:
            tar.extractall(self.folder)
        engine = self.folder / "_engine.so"
        build_data["tag"] = f"{_python_tag()}-{_glibc_tag(engine)}"
        build_data["pure_python"] = False
        classes = self.folder / "messages.py"
        classes.write_text(runpy.run_path(str(pathlib.Path(self.root) / "answer_classes.py"))["module"]())
        suffix = ".abi3.so" if _is_stable() else sysconfig.get_config_var("EXT_SUFFIX")
        if version == "editable":
            shutil.copy(engine, pathlib.Path(self.root) / f"src/tessera/_engine{suffix}")
            shutil.copy(classes, pathlib.Path(self.root) / "src/tessera/messages.py")
            return
        build_data["force_include"] |= {
            str(engine): f"tessera/_engine{suffix}",
            str(classes): "tessera/messages.py",
            str(self.folder / "LICENSE"): "tessera/LICENSE",
            str(self.folder / "licenses"): "tessera/licenses",
        }

    def finalize(self, version, build_data, artifact_path):
        shutil.rmtree(self.folder, ignore_errors=True)

    def build(self):
        repository = pathlib.Path(self.root).parent
        command = [str(repository / "bazelw"), "build", "-c", "opt", f"--repo_env=TESSERA_PYTHON={sys.executable}"]
        command += [f"--repo_env=TESSERA_NANOBIND={pathlib.Path(nanobind.__file__).parents[1]}"]
        # The links of the repository go on leading to other builds.
        command += [f"--symlink_prefix={self.folder}/bazel-", _TARGET]
        if subprocess.run(command, cwd=repository, env=os.environ | {"PATH": _path_without_this_build()}).returncode:
            raise RuntimeError(f"the engine was not built: {' '.join(command)} failed; docs/building.md says what it needs")
        return self.folder / "bazel-bin/python/engine/package.tar"


def _path_without_this_build():
    """pip makes new folders for each build; to Bazel every PATH is another set of tools, for which it would compile everything anew."""
    own = pathlib.Path(tempfile.gettempdir()) / "pip-build-env-"
    return os.pathsep.join(folder for folder in os.environ["PATH"].split(os.pathsep) if not folder.startswith(str(own)))


def _is_stable():
    return sys.version_info >= (3, 12) and not sysconfig.get_config_var("Py_GIL_DISABLED")


def _python_tag():
    if _is_stable():
        return "cp312-abi3"
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{tag}-{tag}{'t' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''}"


def _glibc_tag(engine):
    symbols = subprocess.run(["objdump", "-T", str(engine)], check=True, capture_output=True, text=True).stdout
    minor = max(int(found) for found in re.findall(r"GLIBC_2\.(\d+)", symbols))
    return f"manylinux_2_{minor}_{platform.machine()}"
