#!/usr/bin/env bash
# pic_members.sh PACKAGE ..: which sources of Debian's packages (libre2-dev ..) a shared library has to be given anew.
#
# Debian compiles its archives for programs: thread-locals at fixed places, variables of libc reached directly. A shared library cannot
# have such members, twenty of some four hundred. For each this prints the source, after fetching and patching the package's sources of the
# installed version into this folder:
#
#   libre2-dev re2-2022-06-01/re2/dfa.cc
#
# Takes some seconds, and a mirror of Debian.
set -euo pipefail

for tool in apt-get dpkg-source readelf; do
  command -v $tool >/dev/null || { echo "there is no $tool: on Debian, apt-get install dpkg-dev" >&2; exit 1; }
done

UNFIT='R_X86_64_TPOFF32|R_X86_64_PC32 .* (stderr|stdout|stdin|environ) '

use_own_apt() {
  mkdir -p apt/lists/partial apt/cache/archives/partial
  : >apt/status
  # The same mirrors, of sources.
  apt-get indextargets --format 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' 'Origin: Debian' | sort -u >apt/sources.list
  cat >apt/apt.conf <<END
Dir::State "$PWD/apt";
Dir::State::status "$PWD/apt/status";
Dir::State::lists "$PWD/apt/lists";
Dir::Cache "$PWD/apt/cache";
Dir::Etc::sourcelist "$PWD/apt/sources.list";
Dir::Etc::sourceparts "-";
APT::Sandbox::User "root";
END
  export APT_CONFIG=$PWD/apt/apt.conf
}

unfit_members() {  # of the archives of a package: NAME of NAME.cc
  dpkg-query -L "$1" | grep '\.a$' | while read -r archive; do
    readelf -rW "$archive" 2>/dev/null | awk -v unfit="$UNFIT" '/^File:/ { member = $2 } $0 ~ unfit { print member }'
  done | sed 's/.*(\(.*\))/\1/; s/\.o$//; s/\.cc$//' | sort -u
}

use_own_apt
apt-get -qq update >&2
for package in "$@"; do
  source=$(dpkg-query -W -f='${source:Package}=${source:Version}' "$package")
  mkdir -p "sources/$package"
  (cd "sources/$package" && apt-get -qq source "$source" >&2)
  for name in $(unfit_members "$package"); do
    (cd "sources/$package" && find . -name "$name.cc" -not -path '*/.pc/*' | sed "s|^\./|$package |")
  done
done
rm -r apt
# To Bazel they are files of one package.
find sources \( -name 'BUILD*' -o -name 'WORKSPACE*' \) -delete
