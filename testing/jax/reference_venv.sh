# Sourced at the top of the repository by scripts that need the real jaxlib: a virtual environment of its own in $venv (TESSERA_VENV, default .venv).
# The newest reference needs Python 3.12 or newer; where there is only an older one, the environment has an older reference, and that is said.

new_python() {
  local python
  for python in python3.13 python3.14 python3.12 python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9].*/bin/python3; do
    if "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
      echo "$python"
      return
    fi
  done
}

make_reference_venv() {
  local python requirements jaxlib
  python=$(new_python)
  requirements=testing/jax/requirements.txt
  if [ -z "$python" ]; then
    python=python3
    requirements=testing/jax/requirements_older.txt
    echo "no Python 3.12 or newer: compared with $(sed -n 's/^jaxlib==/jaxlib /p' $requirements), not with the newest"
  fi
  venv=$(realpath -m "${TESSERA_VENV:-.venv}")
  jaxlib=$(sed -n 's/^jaxlib==//p' "$requirements")
  if ! "$venv/bin/python" -c "import jaxlib; assert jaxlib.__version__ == '$jaxlib'" 2>/dev/null; then
    echo "installing jaxlib $jaxlib into $venv"
    "$python" -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet -r "$requirements"
  fi
}
