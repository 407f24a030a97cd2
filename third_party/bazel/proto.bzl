"""The rules of Protocol Buffers: those of its own repository, which every version of Bazel has (with 4.2, native ones with equal labels)."""

load("@com_google_protobuf//bazel:cc_proto_library.bzl", _cc_proto_library = "cc_proto_library")
load("@com_google_protobuf//bazel:proto_library.bzl", _proto_library = "proto_library")

def tessera_proto(name, srcs = None, deps = [], **kwargs):
    """The targets NAME_proto and NAME_cc_proto, of NAME.proto or `srcs`; their header is "tessera/FOLDER/NAME.pb.h".

    Args:
      name: as above.
      srcs: as of proto_library.
      deps: targets NAME_proto whose files are imported.
      **kwargs: testonly and visibility, of both.
    """
    _proto_library(
        name = name + "_proto",
        srcs = srcs or [name + ".proto"],
        import_prefix = "tessera",
        strip_import_prefix = "/",
        deps = deps,
        **kwargs
    )
    _cc_proto_library(
        name = name + "_cc_proto",
        deps = [":{}_proto".format(name)],
        **kwargs
    )
