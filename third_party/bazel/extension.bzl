"""For Bazel 7 and newer: what MODULE.bazel takes from the system."""

load("//third_party/bazel:scripts.bzl", "tessera_scripts")

scripts = module_extension(implementation = lambda ctx: tessera_scripts())
