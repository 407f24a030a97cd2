#!/usr/bin/env bash
# The style of the tracked files: C++ and protocol buffers by clang-format, Python by ruff, and the types of the Python package by mypy.
# The tools come in the versions of testing/style_requirements.txt, in a virtual environment of their own (TESSERA_STYLE_VENV, default
# .venv-style).
#
#   testing/style.sh          says what is wrong
#   testing/style.sh --fix    also mends what clang-format and ruff can
set -u
cd "$(dirname "$0")/.." || exit 2
venv=$(realpath -m "${TESSERA_STYLE_VENV:-.venv-style}")
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" || exit 1
"$venv/bin/pip" install --quiet --disable-pip-version-check -r testing/style_requirements.txt || exit 1

mapfile -t cpp < <(git ls-files '*.cc' '*.h' '*.proto')
mapfile -t python < <(git ls-files '*.py')
if [ "${#cpp[@]}" -eq 0 ] || [ "${#python[@]}" -eq 0 ]; then
  echo "no tracked files: Git has no answer" >&2
  exit 1
fi
format=(--dry-run -Werror)
ruff=()
if [ "${1:-}" = --fix ]; then
  format=(-i)
  ruff=(--fix)
fi
failed=0
printf '%s\0' "${cpp[@]}" | xargs -0 -n 100 -P "${TESSERA_JOBS:-$(nproc)}" "$venv/bin/clang-format" "${format[@]}" || failed=1
"$venv/bin/ruff" check --no-cache "${ruff[@]}" "${python[@]}" || failed=1
"$venv/bin/python" python/answer_classes.py > python/src/tessera/messages.py || failed=1
(cd python && "$venv/bin/mypy" --cache-dir=/dev/null) || failed=1
[ "$failed" -eq 0 ] && echo "style: ${#cpp[@]} files of C++, ${#python[@]} of Python"
exit "$failed"
