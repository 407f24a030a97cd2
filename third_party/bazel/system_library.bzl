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

def _archive(flag):
    """`-l:libX.a` in place of `-lX`."""
    return "-l:lib{}.a".format(flag[len("-l"):])

def _link_flags(ctx, module):
    """What `pkg-config --libs` says, or the flag itself when it starts with a dash.

    With `archives`, a library of the module's own name is linked statically: a binary then runs
    where these libraries are not installed, and starts without looking for forty of them.
    """
    if module == "" or module.startswith("-"):
        return [flag for flag in module.split(" ") if flag]
    found = ctx.execute(["pkg-config", "--libs", module])
    if found.return_code:
        fail("pkg-config does not know {}: run ./bazelw, which installs what is missing".format(module))
    flags = [flag for flag in found.stdout.strip().split(" ") if flag]
    if not ctx.attr.archives:
        return flags
    own = "-l" + module.partition("_")[0]
    return [_archive(flag) if flag.startswith(own) else flag for flag in flags]

def _system_library_impl(ctx):
    packages = {}
    for label, module in ctx.attr.targets.items():
        package, _, name = label.partition(":")
        name = name or package.rpartition("/")[2]
        packages.setdefault(package, []).append(_library(name, _link_flags(ctx, module)))
    for package, libraries in packages.items():
        extra = ctx.attr.extra if package == "" else ""
        ctx.file((package + "/" if package else "") + "BUILD", "".join(libraries) + extra)
    for path, text in ctx.attr.files.items():
        ctx.file(path, text)
    ctx.file("WORKSPACE", "workspace(name = \"{}\")\n".format(ctx.name))

system_library = repository_rule(
    implementation = _system_library_impl,
    doc = "targets: `package:name` -> a pkg-config module, or link flags; archives: link these statically; " +
          "extra: more text for the top BUILD; files: further ones, path -> text.",
    attrs = {
        "targets": attr.string_dict(mandatory = True),
        "archives": attr.bool(),
        "extra": attr.string(),
        "files": attr.string_dict(),
    },
)
