#!/usr/bin/env bash
# The completions in bash, zsh and fish, which are installed where Debian's packages are missing. Exit status 77 where they are missing
# and there is no apt-get: //pipeline/manual:completion_test by itself passes by the shells that are not there.
#
#   testing/shells/run.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
. testing/debian_packages.sh
if ! command -v zsh >/dev/null || ! command -v fish >/dev/null; then
  if ! command -v apt-get >/dev/null; then
    echo "skipped: no zsh or no fish, and no apt-get"
    exit 77
  fi
  need_packages zsh fish || exit 1
fi
exec ./bazelw test -c opt --test_env=TESSERA_ALL_SHELLS=yes //pipeline/manual:completion_test
