"""The rules of Protocol Buffers: those of its own repository, which every version of Bazel has (with 4.2, native ones behind equal labels)."""

load("@com_google_protobuf//bazel:cc_proto_library.bzl", _cc_proto_library = "cc_proto_library")
load("@com_google_protobuf//bazel:proto_library.bzl", _proto_library = "proto_library")

cc_proto_library = _cc_proto_library
proto_library = _proto_library
