"""The JavaScript libraries that `tessera report` puts into its page, from the system's packages."""

load("//third_party/bazel:system_files.bzl", "system_files")

# Name: package of Debian, its folder, files.
_SCRIPTS = {
    "d3": ("node-d3", "/usr/share/nodejs/d3/dist", ["d3.min.js"]),
    "dagre": ("node-dagre-layout", "/usr/share/nodejs/dagre/dist", ["dagre.min.js"]),
}

def tessera_scripts():
    """The JavaScript libraries that `tessera report` puts into its page."""
    for name, (package, folder, files) in _SCRIPTS.items():
        paths = {path.rpartition("/")[2]: "{}/{}".format(folder, path) for path in files}
        paths["copyright"] = "/usr/share/doc/{}/copyright".format(package)
        system_files(name = name, package = package, files = paths)
