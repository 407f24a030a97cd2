"""Sources of a library that are compiled as one, because GCC spends most of its time on what they all include."""

def _joined_source_impl(ctx):
    out = ctx.actions.declare_file(ctx.attr.name + ".cc")
    args = ctx.actions.args()
    args.add_all(ctx.files.srcs)
    ctx.actions.run_shell(
        inputs = ctx.files.srcs,
        outputs = [out],
        arguments = [args],
        command = "for f in \"$@\"; do printf '#line 1 \"%s\"\\n' \"$f\" && {} \"$f\" || exit 1; done > '{}'".format(
            "sed \"s/\\(^namespace tessera[a-z_:]*\\) {$/\\1::$(basename \"$f\" .cc) {/\"" if ctx.attr.apart else "cat",
            out.path,
        ),
        mnemonic = "JoinSources",
        execution_requirements = {"no-sandbox": "1"},  # whose folders cost more than the work
    )
    return [DefaultInfo(files = depset([out]))]

# The text of `srcs` in one file. Errors and debuggers name the file and line of the source itself.
_joined_source = rule(
    implementation = _joined_source_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".cc"], mandatory = True),
        "apart": attr.bool(doc = "whether the namespace of each file has one with the file's name in it, so that files do not share names"),
    },
)

def joined_sources(name, srcs, most = 24, apart = False):
    """Files to compile in place of `srcs`: each has the text of at most `most` of them, of neighbours in the order of names.

    A name in an anonymous namespace must be unique within its library, unless the sources are `apart`. GCC says so where it is not; it says
    nothing where the name hides a public function with the same parameters, which other sources of the library then no longer call.

    Args:
      name: of the library.
      srcs: its sources.
      most: sources in one text.
      apart: whether each source has a namespace of its own, as tests do.

    Returns:
      the labels of the files.
    """
    parts = (len(srcs) + most - 1) // most
    if len(srcs) < 2:
        return srcs
    labels = []
    for part in range(parts):
        label = "{}_joined_{}".format(name, part)
        _joined_source(
            name = label,
            srcs = sorted(srcs)[len(srcs) * part // parts:len(srcs) * (part + 1) // parts],
            apart = apart,
            visibility = ["//visibility:private"],
        )
        labels.append(":" + label)
    return labels
