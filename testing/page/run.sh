#!/usr/bin/env bash
# Tests the page of `tessera report` in headless Chromium. Installs Chromium and its driver where Debian's packages are missing, and
# selenium into a virtual environment of its own (TESSERA_PAGE_VENV, else .venv-page). Without them it fails.
#
#   testing/page/run.sh                       all tests
#   TESSERA_SCREENSHOTS=DIR testing/page/run.sh     and pictures of the page into DIR
set -eu
cd "$(dirname "$0")/../.."

. testing/debian_packages.sh
need_packages chromium chromium-driver python3-venv

venv=${TESSERA_PAGE_VENV:-.venv-page}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import selenium' 2>/dev/null || "$venv/bin/pip" install --quiet selenium

./bazelw build -c opt //:tessera
exec "$venv/bin/python" testing/page/page_test.py bazel-bin/pipeline/tessera
