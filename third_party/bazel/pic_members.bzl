"""The members of Debian's archives that a shared library cannot have, from their sources (pic_members.sh).

They are linked whole, so that those of the archives are not asked for; --gc-sections drops what nothing needs.
"""

# Package: where its sources include from. Abseil's installed headers have Debian's options.
_INCLUDES = {
    "libabsl-dev": "",
    "libprotobuf-dev": "src",
    "libre2-dev": ".",
}

_LIBRARY = """
cc_library(
    name = "{name}",
    srcs = {srcs},
    copts = ["-w", "-DNDEBUG", "-DHAVE_PTHREAD"] + {copts},
    alwayslink = True,
    linkstatic = True,
    textual_hdrs = glob(["sources/{name}/**/*.h", "sources/{name}/**/*.inc"]),
    visibility = ["//visibility:public"],
)
"""

_ALL = """
cc_library(
    name = "pic_members",
    visibility = ["//visibility:public"],
    deps = {},
)
"""

def _pic_members_impl(ctx):
    ctx.file("WORKSPACE", "workspace(name = \"{}\")\n".format(ctx.name))
    found = ctx.execute([ctx.path(Label("//third_party/bazel:pic_members.sh"))] + sorted(_INCLUDES.keys()))
    if found.return_code:
        fail("no sources for a shared library: {}{}".format(found.stdout, found.stderr))
    build = _ALL.format([":" + package for package in sorted(_INCLUDES.keys())])
    for package, folder in _INCLUDES.items():
        srcs = [line.partition(" ")[2] for line in found.stdout.split("\n") if line.startswith(package + " ")]
        root = srcs[0].partition("/")[0]
        copts = ["-Iexternal/{}/sources/{}/{}/{}".format(ctx.name, package, root, folder)] if folder else []
        build += _LIBRARY.format(name = package, srcs = ["sources/{}/{}".format(package, src) for src in srcs], copts = copts)
    ctx.file("BUILD", build)

pic_members_repository = repository_rule(
    implementation = _pic_members_impl,
    doc = "For the archives of system_library: what links them into a shared library depends on :pic_members.",
)
