"""Sources of a library that are compiled as one, because GCC spends most of its time on what they all include."""

def _joined_source_impl(ctx):
    out = ctx.actions.declare_file(ctx.attr.name + ".cc")
    args = ctx.actions.args()
    args.add_all(ctx.files.srcs)
    ctx.actions.run_shell(
        inputs = ctx.files.srcs,
        outputs = [out],
        arguments = [args],
        command = "for f in \"$@\"; do printf '#line 1 \"%s\"\\n' \"$f\" && cat \"$f\" || exit 1; done > '{}'".format(out.path),
        mnemonic = "JoinSources",
        execution_requirements = {"no-sandbox": "1"},  # whose folders cost more than the work
    )
    return [DefaultInfo(files = depset([out]))]

# The text of `srcs` in one file. Errors and debuggers name the file and line of the source itself.
_joined_source = rule(
    implementation = _joined_source_impl,
    attrs = {"srcs": attr.label_list(allow_files = [".cc"], mandatory = True)},
)

_MOST = 24

def joined_sources(name, srcs):
    """Files to compile in place of `srcs`: each has the text of at most 24 of them, of neighbours in the order of names.

    A name in an anonymous namespace must be unique within its library. GCC says so where it is not; it says nothing where the name
    hides a public function with the same parameters, which other sources of the library then no longer call.

    Args:
      name: of the library.
      srcs: its sources.

    Returns:
      the labels of the files.
    """
    parts = (len(srcs) + _MOST - 1) // _MOST
    if len(srcs) < 2:
        return srcs
    labels = []
    for part in range(parts):
        label = "{}_joined_{}".format(name, part)
        _joined_source(
            name = label,
            srcs = sorted(srcs)[len(srcs) * part // parts:len(srcs) * (part + 1) // parts],
            visibility = ["//visibility:private"],
        )
        labels.append(":" + label)
    return labels
