cc_proto_library = native.cc_proto_library
