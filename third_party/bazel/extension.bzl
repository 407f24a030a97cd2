"""For Bazel 7 and newer: what MODULE.bazel takes from the system."""

load("//third_party/bazel:licenses.bzl", "tessera_licenses")
load("//third_party/bazel:nanobind.bzl", "tessera_nanobind")
load("//third_party/bazel:scripts.bzl", "tessera_scripts")
load("//third_party/bazel:system_library.bzl", "system_library")

def _scripts(_ctx):
    tessera_licenses()
    tessera_nanobind()

    # Libraries of modules are compiled from source, and fit a shared library as they are.
    system_library(name = "pic_members", targets = {":pic_members": ""})
    tessera_scripts()

scripts = module_extension(implementation = _scripts)

def _peers(_ctx):
    system_library(name = "onednn", targets = {":onednn": "-ldnnl"})

# What a benchmark measures tessera beside.
peers = module_extension(implementation = _peers)
