#!/usr/bin/env bash
# examples/consumer with a Bazel of today, as a module and as a WORKSPACE. TESSERA_NEWER_BAZEL names such a Bazel that has a network and a
# registry; without it Bazel 7 comes from a newer Debian (debian_root.sh) and its modules from source packages (registry.py), with no other
# network. Where neither can be had it says so, with exit status 77.
#
#   testing/newer_bazel/run.sh
#   TESSERA_JOBS=2 testing/newer_bazel/run.sh
#
# All that is fetched and built is kept in TESSERA_NEWER_BAZEL_CACHE (default ~/.cache/tessera_newer_bazel, some 3 GB): the first run takes
# a quarter of an hour, later ones a minute.
set -u
cd "$(dirname "$0")/../.." || exit 2

if [ -n "${TESSERA_NEWER_BAZEL:-}" ]; then
  cd examples/consumer && exec "$TESSERA_NEWER_BAZEL" test //...
fi

. testing/newer_bazel/debian_root.sh
folder=$(realpath -m "${TESSERA_NEWER_BAZEL_CACHE:-$HOME/.cache/tessera_newer_bazel}")
mkdir -p "$folder"
if ! why=$(make_debian_root "$folder"); then
  echo "newer Bazel: skipped, since $why"
  exit 77
fi

python3 testing/newer_bazel/registry.py "$folder/registry" "$folder/packages" examples/consumer/MODULE.bazel MODULE.bazel \
  "$folder"/root/usr/share/bazel/embedded_tools/MODULE.bazel "$folder"/root/usr/share/bazel/{rules,tools}/*/MODULE.bazel || exit 1
in_debian_root "$folder" /srv/tessera/testing/newer_bazel/inside.sh "${TESSERA_JOBS:-$(nproc)}"
