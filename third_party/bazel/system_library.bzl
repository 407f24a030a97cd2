"""Libraries of the system under the labels that their own Bazel builds use.

A project that depends on tessera can put the real repositories in their place: the labels are equal.
"""

def _library(name, linkopts):
    return """
cc_library(
    name = "{}",
    linkopts = {},
    visibility = ["//visibility:public"],
)
""".format(name, linkopts)

def _link_flags(ctx, module):
    """What `pkg-config --libs` says, or the flag itself when it starts with a dash."""
    if module == "" or module.startswith("-"):
        return [flag for flag in module.split(" ") if flag]
    found = ctx.execute(["pkg-config", "--libs", module])
    if found.return_code:
        fail("pkg-config does not know {}: run ./bazelw, which installs what is missing".format(module))
    return [flag for flag in found.stdout.strip().split(" ") if flag]

def _system_library_impl(ctx):
    packages = {}
    for label, module in ctx.attr.targets.items():
        package, _, name = label.partition(":")
        name = name or package.rpartition("/")[2]
        packages.setdefault(package, []).append(_library(name, _link_flags(ctx, module)))
    for package, libraries in packages.items():
        extra = ctx.attr.extra if package == "" else ""
        ctx.file((package + "/" if package else "") + "BUILD", "".join(libraries) + extra)
    ctx.file("WORKSPACE", "workspace(name = \"{}\")\n".format(ctx.name))

system_library = repository_rule(
    implementation = _system_library_impl,
    doc = "targets: `package:name` -> a pkg-config module, or link flags; extra: more text for the top BUILD.",
    attrs = {
        "targets": attr.string_dict(mandatory = True),
        "extra": attr.string(),
    },
)
