"""Headers that are parsed once for all sources, by GCC's precompiled headers."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _command(ctx, toolchain, source, output, context):
    """The flags of every other C++ source of this build: GCC takes a precompiled header only where they are equal."""
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        source_file = source.path,
        output_file = output.path,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts + ["-x", "c++-header"],
        include_directories = context.includes,
        quote_include_directories = depset(["."], transitive = [context.quote_includes]),
        system_include_directories = context.system_includes,
        preprocessor_defines = context.defines,
        use_pic = ctx.var["COMPILATION_MODE"] != "opt",
    )
    action = "c++-compile"
    return struct(
        executable = cc_common.get_tool_for_action(feature_configuration = features, action_name = action),
        arguments = cc_common.get_memory_inefficient_command_line(
            feature_configuration = features,
            action_name = action,
            variables = variables,
        ),
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = action,
            variables = variables,
        ),
    )

def _precompiled_header_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    context = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps]).compilation_context
    sources = [ctx.file.header] + ctx.files.textual_headers

    # Beside the precompiled form lies a header of its name, for a compiler that cannot use that form.
    header = ctx.actions.declare_file(ctx.label.name + ".h")
    ctx.actions.symlink(output = header, target_file = ctx.file.header)
    headers = [header] + sources
    if toolchain.compiler_executable.rpartition("/")[2].startswith("g"):
        precompiled = ctx.actions.declare_file(header.basename + ".gch")
        command = _command(ctx, toolchain, ctx.file.header, precompiled, context)
        ctx.actions.run(
            outputs = [precompiled],
            inputs = depset(sources, transitive = [context.headers, toolchain.all_files]),
            executable = command.executable,
            arguments = command.arguments,
            env = command.env,
            mnemonic = "CppPrecompile",
            progress_message = "Precompiling %s" % ctx.file.header.short_path,
        )
        headers.append(precompiled)
    own = cc_common.create_compilation_context(headers = depset(headers))
    return [
        DefaultInfo(files = depset(headers)),
        CcInfo(compilation_context = cc_common.merge_cc_infos(
            cc_infos = [CcInfo(compilation_context = own), CcInfo(compilation_context = context)],
        ).compilation_context),
    ]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    doc = "`-include PACKAGE/NAME.h` in what depends on it takes the precompiled form of `header`.",
    attrs = {
        "header": attr.label(mandatory = True, allow_single_file = [".h"]),
        "textual_headers": attr.label_list(allow_files = [".h"], doc = "Further headers of the project that it includes."),
        "copts": attr.string_list(doc = "The flags that the sources have that use it."),
        "deps": attr.label_list(providers = [CcInfo], doc = "Whose headers it includes."),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
    fragments = ["cpp"],
)
