"""Files of the system's packages, such as JavaScript libraries, under one label for each."""

_ALL = """
filegroup(
    name = "all_files",
    srcs = {},
    visibility = ["//visibility:public"],
)
"""

def _system_files_impl(ctx):
    for name, path in ctx.attr.files.items():
        if not ctx.path(path).exists:
            fail("{} is missing: install the package {} (on Debian ./bazelw does)".format(path, ctx.attr.package))
        ctx.symlink(path, name)
    names = sorted(ctx.attr.files.keys())
    ctx.file("BUILD", "exports_files({})\n{}".format(names, _ALL.format(names)))
    ctx.file("WORKSPACE", "workspace(name = \"{}\")\n".format(ctx.name))

system_files = repository_rule(
    implementation = _system_files_impl,
    doc = "files: name -> path in the system; package: of Debian, that has them.",
    attrs = {
        "files": attr.string_dict(mandatory = True),
        "package": attr.string(mandatory = True),
    },
)
