"""The rules of this project: one macro for each kind of target, so that flags live in one place.

Every header is reached as "tessera/FOLDER/FILE.h", also by a consumer of the package.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")
load("//third_party/bazel:joined.bzl", "joined_sources")

# GCC 12 sees uninitialised memory in every inlined move of an absl::InlinedVector; Clang does not
# know that warning, nor the parameter. The parameter (KiB): GCC collects its garbage when its heap has grown to
# that, which it hardly ever does then; a source that takes three seconds takes a twentieth less, a test a tenth.
_COPTS = [
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unknown-warning-option",
    "-Wno-maybe-uninitialized",
    "-Wno-unused-command-line-argument",
    "--param=ggc-min-heapsize=1000000",
]

# What runs once for an answer: -O1 compiles it in four fifths of the time of -O2. All else (reading,
# sharding, partitioning, writing) is optimised as the command line says.
_ONCE_AN_ANSWER = [
    "cost",
    "pipeline/explain",
    "pipeline/flow",
    "pipeline/manual",
    "pipeline/report",
    "pipeline/verbs",
    "pipeline/watch",
    "projection",
    "sharding/explain",
]

# Libraries of tests that compute much themselves; others that say `testonly = True` are not optimised, as
# tests are not. (A macro does not see the `default_testonly` of a package: its libraries are.)
_MUCH_WORK = ["testing/evaluator"]

# Tags of a test that sweeps through thousands of inputs, replays a corpus, or compiles the examples of
# headers: `bazel test //...` passes it by, `.ci/run sweeps` runs all, and its own label runs it.
SWEEP = ["manual", "sweep"]

# Abseil's libraries that every library and test may use, and that no BUILD file names. So is `//text`.
VOCABULARY = [
    "@com_google_absl//absl/algorithm:container",
    "@com_google_absl//absl/container:flat_hash_map",
    "@com_google_absl//absl/container:flat_hash_set",
    "@com_google_absl//absl/container:inlined_vector",
    "@com_google_absl//absl/status",
    "@com_google_absl//absl/status:statusor",
    "@com_google_absl//absl/strings",
    "@com_google_absl//absl/types:span",
]

# Packages that may not use `//text`: it, and what has to stay apart from it.
_BELOW_TEXT = ["sharding/reference", "text"]

def _vocabulary():
    return VOCABULARY if native.package_name() in _BELOW_TEXT else VOCABULARY + ["//text"]

def _is_own_build():
    return native.repository_name() in ("@", "@@", "")

def _copts(more):
    """A project that depends on tessera has a compiler of its own, whose warnings are no errors there."""
    return (_COPTS if _is_own_build() else [flag for flag in _COPTS if flag != "-Werror"]) + more

def _with_prefix(copts, deps):
    """`copts` and `deps` of a target whose sources begin with a precompiled header (third_party/bazel/precompiled)."""
    if not _is_own_build():
        return struct(copts = _copts(copts), deps = deps)
    package = "third_party/bazel/precompiled"
    prefix = "test_prefix" if copts[:1] == ["-O0"] else "library_prefix"  # of code that is not optimised, or is
    return struct(
        copts = _copts(copts) + ["-include", "{}/{}.h".format(package, prefix)],
        deps = deps + ["//{}:{}".format(package, prefix)],
    )

def _linkstatic():
    """Whether a library or test is linked statically, so that no source is compiled a second time for a shared object.

    With --config=asan every library is a shared object: static tests would have up to 400 MB each, and all code
    is position-independent there anyway.
    """
    if not _is_own_build():
        return True
    return select({"//third_party/bazel:shared_libraries": False, "//conditions:default": True})

def _in_one_of(rooms):
    package = native.package_name()
    return any([package == room or package.startswith(room + "/") for room in rooms])

def _level(testonly):
    """The optimisation of a library of this package, if it is not that of the command line."""
    if not _is_own_build() or _in_one_of(_MUCH_WORK):
        return []
    if testonly:
        return ["-O0"]
    return ["-O1"] if _in_one_of(_ONCE_AN_ANSWER) else []

# Files of a folder that no wildcard of `units` takes.
_OF_NO_LIBRARY = ["**/*_test.cc", "**/*_benchmark.cc", "**/*_fuzz.cc"]

def _files(units, extension):
    """The files "unit.cc" or "unit.h" of `units`, that is of stems ("parse/scanner") and wildcards ("parse/*", "**")."""
    return native.glob(
        [unit + extension if not unit.endswith("**") else unit + "/*" + extension for unit in units],
        exclude = _OF_NO_LIBRARY,
        allow_empty = True,
    )

def tessera_cc_library(name, units = [], srcs = [], hdrs = [], copts = [], deps = [], joined = True, **kwargs):
    """A library.

    Args:
      name: the idea that its files share.
      units: pairs of a source and a header without their extension, either may be missing: "parser", "draw/*", "**".
      srcs: further sources, such as generated ones.
      hdrs: further headers.
      copts: as of cc_library.
      deps: all libraries that it includes but VOCABULARY and `//text`.
      joined: whether its sources are compiled together (joined.bzl); not where one sets what the compiler may do.
      **kwargs: as of cc_library.
    """
    for unit in units:
        if not _files([unit], ".cc") and not _files([unit], ".h"):
            fail("{}: no file belongs to the unit '{}'".format(name, unit))
    own = _with_prefix(_level(kwargs.get("testonly")) + copts, deps + _vocabulary())
    cc_library(
        name = name,
        srcs = (joined_sources(name, _files(units, ".cc")) if joined else _files(units, ".cc")) + srcs,
        hdrs = _files(units, ".h") + hdrs,
        copts = own.copts,
        deps = own.deps,
        linkstatic = _linkstatic(),
        include_prefix = "tessera",
        strip_include_prefix = "/",
        **kwargs
    )

def tessera_cc_binary(name, copts = [], **kwargs):
    cc_binary(name = name, copts = _copts(copts), **kwargs)

def _with_package(name):
    """The label `name` with its package: "//hlo" and, in that package, ":hlo" are "//hlo:hlo"."""
    if name.startswith("@") or not name.startswith((":", "//")):
        return name
    package, _, target = name[2:].partition(":") if name.startswith("//") else (native.package_name(), "", name[1:])
    return "//{}:{}".format(package, target or package.rsplit("/", 1)[-1])

def _with_libraries(deps):
    """`deps`, the libraries that stand above in the BUILD file, and those of the project that they depend on.

    Not those that are always linked: a main function, the allocator of the binary.
    """
    labels = {_with_package(dep): True for dep in deps + _vocabulary()}
    for rule in native.existing_rules().values():
        if rule["kind"] != "cc_library" or rule["alwayslink"] or type(rule["deps"]) not in ["list", "tuple"]:
            continue
        for dep in [":" + rule["name"]] + list(rule["deps"]):
            own = dep[len(native.repository_name()):] if dep.startswith(native.repository_name() + "//") else dep
            if not own.startswith("@") and not own.startswith("//third_party/"):
                labels[_with_package(own)] = True
    return labels.keys()

def tessera_cc_test(name, srcs = None, deps = [], copts = ["-O0"], size = "small", **kwargs):
    """A GoogleTest.

    It may include the libraries of its package, and what they depend on; `deps` are further ones.
    Its own sources are not optimised, which compiles them in two thirds of the time; a test that
    computes much itself says `copts = []`.
    """
    own = _with_prefix(copts, _with_libraries(deps))
    cc_test(
        name = name,
        srcs = srcs or [name + ".cc"],
        copts = own.copts,
        deps = own.deps + ["@com_google_googletest//:gtest_main"],
        linkstatic = _linkstatic(),
        size = size,
        **kwargs
    )

def tessera_cc_tests(deps = [], data = {}):
    """Tests of the files "*_test.cc" below this package that no target above takes; the last of its BUILD file.

    One binary, `tests`, has all of them, twelve compiled as one, because GCC and the linker spend most of their time on what they share.
    The name of a file is a label, too, and runs that binary. A file with `data` (by test) and the examples of headers are binaries of their own.
    """
    taken = {}
    for rule in native.existing_rules().values():
        for source in rule.get("srcs") or []:
            taken[source.split(":")[-1]] = True
    together = {}
    for source in native.glob(["**/*_test.cc"]):
        name = source[:-len(".cc")].rsplit("/", 1)[-1]
        if source in taken:
            continue
        if name == "header_examples_test" or name in data:
            tags = SWEEP if name == "header_examples_test" else []
            tessera_cc_test(name, [source], deps, data = data.get(name, []), tags = tags)
        else:
            together[name] = source
    if len(together) == 1:
        tessera_cc_test(together.keys()[0], together.values(), deps)
    elif together:
        tessera_cc_test("tests", joined_sources("tests", together.values(), most = 12, apart = True), deps)
        for name in together:
            native.test_suite(name = name, tests = [":tests"])

def tessera_cc_benchmark(name, srcs = None, deps = [], copts = [], **kwargs):
    """A Google Benchmark binary, beside the code that it measures; `deps` as of tessera_cc_test."""
    cc_binary(
        name = name,
        srcs = srcs or [name + ".cc"],
        copts = _copts(copts),
        testonly = True,
        deps = _with_libraries(deps) + ["@com_google_benchmark//:benchmark_main"],
        **kwargs
    )

def tessera_cc_fuzz_test(name, corpus, srcs = None, deps = [], **kwargs):
    """A libFuzzer target; `deps` as of tessera_cc_test. As a plain test it replays its kept corpus (a list of files)."""
    cc_test(
        name = name,
        srcs = srcs or [name + ".cc"],
        copts = _copts([]),
        args = ["$(locations {})".format(f) for f in corpus],
        data = corpus,
        deps = _with_libraries(deps + ["//testing/fuzz:main"]),
        linkstatic = _linkstatic(),
        size = "small",
        tags = SWEEP + ["fuzz"],
        **kwargs
    )
