#!/usr/bin/env bash
# Builds the wheel and tests it where it is installed: in a fresh virtual environment with what the tests need (python/tests/requirements.txt) and the
# real jax of the reference's environment (testing/jax/reference_venv.sh). A skipped test fails, but for those that tests/no_skips.py lists. Arguments
# go to pytest.
set -eu
cd "$(dirname "$0")/.."

# Nothing stays in the tree but the reference's environment: no compiled modules of Python, no cache of pytest.
export PYTHONDONTWRITEBYTECODE=1
. testing/jax/reference_venv.sh
make_reference_venv
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

PYTHON=$venv/bin/python python/build_wheel.sh "$scratch/wheel"
"$venv/bin/python" -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet -r python/tests/requirements.txt "$scratch"/wheel/*.whl
# jax is not installed once more: the new environment sees that of the other one, after its own packages.
packages='import sysconfig; print(sysconfig.get_paths()["purelib"])'
"$venv/bin/python" -c "$packages" >"$("$scratch/venv/bin/python" -c "$packages")/reference.pth"
"$scratch/venv/bin/python" -m pytest -q -p no:cacheprovider --fail-on-skip python/tests "$@"
