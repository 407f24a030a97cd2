#!/usr/bin/env bash
# Builds the wheel and tests it where it is installed: in a fresh virtual environment with pytest and the real jax of the reference's environment
# (testing/jax/reference_venv.sh). Arguments go to pytest.
set -eu
cd "$(dirname "$0")/.."

. testing/jax/reference_venv.sh
make_reference_venv
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

PYTHON=$venv/bin/python python/build_wheel.sh "$scratch/wheel"
"$venv/bin/python" -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet pytest "$scratch"/wheel/*.whl
# jax is not installed once more: the new environment sees that of the other one, behind its own packages.
packages='import sysconfig; print(sysconfig.get_paths()["purelib"])'
"$venv/bin/python" -c "$packages" >"$("$scratch/venv/bin/python" -c "$packages")/reference.pth"
"$scratch/venv/bin/python" -m pytest -q -p no:cacheprovider python/tests "$@"
