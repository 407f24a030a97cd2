"""The licences of what is linked into the static binary, from the system's packages."""

load("//third_party/bazel:system_files.bzl", "system_files")

# Name in the archive: package of Debian.
_LINKED = {
    "abseil": "libabsl-dev",
    "cli11": "libcli11-dev",
    "glibc": "libc6",
    "libstdc++": "libstdc++6",
    "protobuf": "libprotobuf-dev",
    "re2": "libre2-dev",
    "tomlplusplus": "libtomlplusplus-dev",
    "zlib": "zlib1g-dev",
    "d3": "node-d3",
    "dagre": "node-dagre-layout",
}

def tessera_licenses():
    system_files(
        name = "licenses",
        package = "of each of these libraries",
        files = {name + ".txt": "/usr/share/doc/{}/copyright".format(package) for name, package in _LINKED.items()},
    )
