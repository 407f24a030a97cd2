"""nanobind and the headers of Python, of the interpreter that the package is built for.

nanobind is a package of Python: what TESSERA_PYTHON (else python3) imports, from the folder TESSERA_NANOBIND where that is given, is
copied, so that the environment that a build made for it may go. Only //python/engine asks for it; everything else builds without Python.
"""

_FIND = """
import glob, importlib.metadata, os, sys, sysconfig
import nanobind
licence = [file for file in importlib.metadata.files("nanobind") if file.name == "LICENSE"]
print(os.path.dirname(nanobind.__file__))
print(licence[0].locate())
print(sysconfig.get_path("include"))
print("0x030C0000" if sys.version_info >= (3, 12) and not sysconfig.get_config_var("Py_GIL_DISABLED") else "")
"""

_BUILD = """
cc_library(
    name = "nanobind",
    srcs = ["nanobind/src/nb_combined.cpp"],
    hdrs = glob(["nanobind/include/**/*.h", "nanobind/ext/robin_map/include/**/*.h", "python/**/*.h"]),
    copts = ["-O2", "-w", "-fno-strict-aliasing", "-fvisibility=hidden"],
    defines = {defines},
    includes = ["nanobind/include", "nanobind/ext/robin_map/include", "python"],
    linkstatic = True,
    textual_hdrs = glob(["nanobind/src/*.h", "nanobind/src/*.cpp"]),
    visibility = ["//visibility:public"],
)

filegroup(
    name = "licenses",
    srcs = ["nanobind.txt", "robin-map.txt"],
    visibility = ["//visibility:public"],
)
"""

# The build of anything else goes on without it.
_MISSING = """
genrule(
    name = "missing",
    outs = ["missing.cc"],
    cmd = "echo '{message}' >&2; exit 1",
)

cc_library(
    name = "nanobind",
    srcs = ["missing.cc"],
    visibility = ["//visibility:public"],
)

alias(
    name = "licenses",
    actual = "missing",
    visibility = ["//visibility:public"],
)
"""

_MESSAGE = "{} has no nanobind or no headers: build by `pip install ./python`, or name by TESSERA_PYTHON one where `pip install nanobind` was run"

def _nanobind_impl(ctx):
    ctx.file("WORKSPACE", "workspace(name = \"{}\")\n".format(ctx.name))
    python = ctx.os.environ.get("TESSERA_PYTHON", "python3")
    found = ctx.execute([python, "-c", _FIND], environment = {"PYTHONPATH": ctx.os.environ.get("TESSERA_NANOBIND", "")})
    lines = found.stdout.split("\n")
    if found.return_code or not ctx.path(lines[2] + "/Python.h").exists:
        ctx.file("BUILD", _MISSING.format(message = _MESSAGE.format(python)))
        return
    package, licence, headers, limited_api = lines[:4]
    ctx.execute(["cp", "-rL", package, "nanobind"])
    ctx.execute(["cp", "-rL", headers, "python"])
    ctx.execute(["cp", "-L", licence, "nanobind.txt"])

    # The licence of robin-map stands at the top of its headers.
    top = ctx.execute(["sed", "/\\*\\//q", "nanobind/ext/robin_map/include/tsl/robin_map.h"])
    ctx.file("robin-map.txt", top.stdout)
    defines = ["NDEBUG", "NB_COMPACT_ASSERTIONS"] + (["Py_LIMITED_API=" + limited_api] if limited_api else [])
    ctx.file("BUILD", _BUILD.format(defines = defines))

nanobind_repository = repository_rule(
    implementation = _nanobind_impl,
    environ = ["TESSERA_NANOBIND", "TESSERA_PYTHON"],
    doc = "From Python 3.12 on for the stable ABI: what is built runs with all newer versions.",
)

def tessera_nanobind():
    nanobind_repository(name = "nanobind")
