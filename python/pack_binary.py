"""Puts the built binary into the wheel, and tags the wheel for the machines that it runs on.

| given | packed | runs on |
|---|---|---|
| TESSERA_ARCHIVE, of `./bazelw build //:archive` | its static binary, and the licences of all that is linked in | any Linux of this processor |
| TESSERA_BINARY, else bazel-bin/pipeline/tessera | that binary, stripped | machines with this libc and libstdc++, or newer ones |

No version of Python is asked for. An editable install packs nothing: the package then finds the binary of the repository itself.
"""

import os
import pathlib
import platform
import shutil
import subprocess
import sysconfig
import tarfile
import tempfile

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# A program that asks for no shared library runs with every libc; these are the oldest ones for which installers still have a name.
_STATIC_TAG = "manylinux_2_17_{0}.manylinux2014_{0}.musllinux_1_1_{0}"


class PackBinary(BuildHookInterface):

    def initialize(self, version, build_data):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tessera_wheel_"))
        archive = os.environ.get("TESSERA_ARCHIVE")
        if archive:
            self.unpack(archive)
            where = _STATIC_TAG.format(platform.machine())
        else:
            self.copy_built()
            where = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{where}"
        build_data["pure_python"] = False
        build_data["force_include"][str(self.folder)] = "tessera/bin"

    def finalize(self, version, build_data, artifact_path):
        shutil.rmtree(self.folder, ignore_errors=True)

    def repository(self):
        return pathlib.Path(self.root).parent

    def unpack(self, archive):
        """The binary, LICENSE, and licenses/NAME.txt."""
        with tarfile.open(archive) as tar:
            for member in tar.getmembers():
                path = pathlib.PurePath(member.name)
                kept = {"bin": path.name, "licenses": f"licenses/{path.name}"}.get(path.parent.name)
                kept = path.name if path.name == "LICENSE" else kept
                if not (member.isfile() and kept):
                    continue
                to = self.folder / kept
                to.parent.mkdir(exist_ok=True)
                to.write_bytes(tar.extractfile(member).read())
                to.chmod(member.mode)

    def copy_built(self):
        packed = self.folder / "tessera"
        shutil.copyfile(self.built_binary(), packed)
        packed.chmod(0o755)
        if shutil.which("strip"):
            subprocess.run(["strip", str(packed)], check=True)
        shutil.copyfile(self.repository() / "LICENSE", self.folder / "LICENSE")

    def built_binary(self):
        beside = self.repository() / "bazel-bin/pipeline/tessera"
        built = pathlib.Path(os.environ.get("TESSERA_BINARY", beside))
        if not built.is_file():
            raise FileNotFoundError(f"there is no {built}: build it first, with `./bazelw build -c opt //:tessera` at the top of the "
                                    "repository, or name one by TESSERA_BINARY")
        return built
