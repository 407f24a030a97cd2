"""Where tessera finds what it depends on when there is no network: the system's packages."""

load("//third_party/bazel:licenses.bzl", "tessera_licenses")
load("//third_party/bazel:nanobind.bzl", "tessera_nanobind")
load("//third_party/bazel:pic_members.bzl", "pic_members_repository")
load("//third_party/bazel:scripts.bzl", "tessera_scripts")
load("//third_party/bazel:system_library.bzl", "system_library")

_ABSL = {
    "absl/algorithm:container": "",
    "absl/base": "absl_base",
    "absl/base:core_headers": "",
    "absl/cleanup": "",
    "absl/container:btree": "absl_base",
    "absl/container:fixed_array": "absl_base",
    "absl/container:flat_hash_map": "absl_flat_hash_map",
    "absl/container:flat_hash_set": "absl_flat_hash_set",
    "absl/container:inlined_vector": "absl_inlined_vector",
    "absl/container:node_hash_map": "absl_flat_hash_map",
    "absl/functional:function_ref": "",
    "absl/hash": "absl_hash",
    "absl/memory": "",
    "absl/meta:type_traits": "",
    "absl/numeric:bits": "",
    "absl/numeric:int128": "absl_int128",
    "absl/status": "absl_status",
    "absl/status:statusor": "absl_statusor",
    "absl/strings": "absl_strings",
    "absl/strings:cord": "absl_cord",
    "absl/strings:str_format": "absl_str_format",
    "absl/synchronization": "absl_synchronization",
    "absl/time": "absl_time",
    "absl/types:optional": "absl_base",
    "absl/types:span": "absl_span",
    "absl/types:variant": "absl_base",
}

_PROTOC = """
genrule(
    name = "copy_protoc",
    outs = ["protoc_of_the_system"],
    cmd = "cp $$(command -v protoc) $@",
    executable = True,
)

sh_binary(
    name = "protoc",
    srcs = [":copy_protoc"],
    visibility = ["//visibility:public"],
)

proto_lang_toolchain(
    name = "cc_toolchain",
    command_line = "--cpp_out=$(OUT)",
    blacklisted_protos = [":descriptor_proto"],
    runtime = ":protobuf",
    visibility = ["//visibility:public"],
)

# Options of fields are extensions of it. The library has its code.
genrule(
    name = "copy_descriptor",
    outs = ["google/protobuf/descriptor.proto"],
    cmd = "cp $$(pkg-config --variable=includedir protobuf)/google/protobuf/descriptor.proto $@",
)

proto_library(
    name = "descriptor_proto",
    srcs = ["google/protobuf/descriptor.proto"],
    visibility = ["//visibility:public"],
)
"""

# Where newer releases of Protocol Buffers have their rules.
_PROTO_RULES = {
    "bazel/BUILD": "",
    "bazel/cc_proto_library.bzl": "cc_proto_library = native.cc_proto_library\n",
    "bazel/proto_library.bzl": "proto_library = native.proto_library\n",
}

def _bazel_parts(root):
    here = root + "/third_party/bazel/"
    native.local_repository(name = "rules_cc", path = here + "rules_cc")
    native.local_repository(name = "remote_coverage_tools", path = here + "remote_coverage_tools")
    native.local_repository(name = "rules_java", path = "/usr/share/bazel/rules/java")
    native.local_repository(name = "rules_proto", path = "/usr/share/bazel/rules/proto")
    native.local_repository(name = "bazel_skylib", path = "/usr/share/bazel/tools/skylib")
    native.local_repository(name = "platforms", path = "/usr/share/bazel/tools/platforms")

def tessera_libraries():
    """The C++ libraries alone: what a consumer with Bazel parts of its own calls."""
    system_library(name = "com_google_absl", targets = _ABSL, archives = True)
    system_library(name = "com_googlesource_code_re2", targets = {":re2": "re2"}, archives = True)
    system_library(
        name = "com_google_googletest",
        targets = {":gtest": "gmock", ":gtest_main": "gmock_main"},
    )
    system_library(
        name = "com_google_benchmark",
        targets = {":benchmark": "benchmark", ":benchmark_main": "-lbenchmark_main -lbenchmark -lpthread"},
    )
    system_library(
        name = "com_google_protobuf",
        targets = {":protobuf": "protobuf"},
        archives = True,
        extra = _PROTOC,
        files = _PROTO_RULES,
    )
    system_library(name = "com_github_nlohmann_json", targets = {":json": ""})
    system_library(name = "cli11", targets = {":cli11": ""})
    system_library(name = "tomlplusplus", targets = {":tomlplusplus": ""})
    system_library(name = "onednn", targets = {":onednn": "-ldnnl"})
    system_library(name = "zlib", targets = {":zlib": "-l:libz.a"})
    tessera_licenses()
    tessera_nanobind()
    pic_members_repository(name = "pic_members")
    tessera_scripts()

def tessera_dependencies(root = "."):
    """Everything that a WORKSPACE with tessera needs; `root`: tessera's folder, seen from that WORKSPACE."""
    _bazel_parts(root)
    tessera_libraries()
