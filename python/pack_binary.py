"""Puts the built binary into the wheel, stripped, as tessera/bin/tessera, and tags the wheel for this machine.

The binary is bazel-bin/pipeline/tessera of the repository, or what TESSERA_BINARY names. It carries its own Abseil, RE2 and Protocol
Buffers and needs libc and libstdc++ only, so one wheel serves all versions of Python. An editable install has none: the package then finds
the one of the repository itself.
"""

import os
import pathlib
import shutil
import subprocess
import sysconfig
import tempfile

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PackBinary(BuildHookInterface):

    def initialize(self, version, build_data):
        built = self.built_binary()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tessera_wheel_"))
        packed = self.folder / "tessera"
        shutil.copyfile(built, packed)
        packed.chmod(0o755)
        if shutil.which("strip"):
            subprocess.run(["strip", str(packed)], check=True)
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        build_data["pure_python"] = False
        build_data["force_include"][str(packed)] = "tessera/bin/tessera"
        build_data["force_include"][str(self.repository() / "LICENSE")] = "tessera/bin/LICENSE"

    def finalize(self, version, build_data, artifact_path):
        shutil.rmtree(self.folder, ignore_errors=True)

    def repository(self):
        return pathlib.Path(self.root).parent

    def built_binary(self):
        beside = self.repository() / "bazel-bin/pipeline/tessera"
        built = pathlib.Path(os.environ.get("TESSERA_BINARY", beside))
        if not built.is_file():
            raise FileNotFoundError(f"there is no {built}: build it first, with `./bazelw build -c opt //:tessera` at the top of the "
                                    "repository, or name one by TESSERA_BINARY")
        return built
