#!/usr/bin/env bash
# Tests the page of `tessera report` in headless Chromium. Installs Chromium and its driver where Debian's packages are missing, and
# selenium and axe-core into a virtual environment of its own (TESSERA_PAGE_VENV, else .venv-page). Without them it fails.
#
#   testing/page/run.sh                       all tests
#   TESSERA_SCREENSHOTS=DIR testing/page/run.sh     and pictures of the page into DIR
set -eu
cd "$(dirname "$0")/../.."

. testing/debian_packages.sh
need_packages chromium chromium-driver python3-venv
command -v npm >/dev/null || need_packages npm

venv=$(realpath -m "${TESSERA_PAGE_VENV:-.venv-page}")
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import selenium' 2>/dev/null || "$venv/bin/pip" install --quiet selenium

# The rules for screen readers and keyboards, in one file.
readonly AXE_VERSION=4.14.1
export TESSERA_AXE=$venv/axe-$AXE_VERSION.js
if [ ! -e "$TESSERA_AXE" ]; then
  scratch=$(mktemp -d)
  (cd "$scratch" && npm pack --silent "axe-core@$AXE_VERSION" && tar -xzf axe-core-*.tgz) >/dev/null
  cp "$scratch/package/axe.min.js" "$TESSERA_AXE"
  rm -r "$scratch"
fi

./bazelw build -c opt //:tessera
exec "$venv/bin/python" testing/page/page_test.py bazel-bin/pipeline/tessera
