# Sourced by run.sh: a folder with a newer Debian, its Bazel 7 and its compiler, made by apt from the mirror that this machine uses.
#
#   make_debian_root FOLDER     FOLDER/root, FOLDER/packages (sources of libraries); false, with the reason, where that cannot be
#   in_debian_root FOLDER COMMAND ..     runs in it, with the repository at /srv/tessera and FOLDER/registry at /srv/registry
#
# Nothing of the machine's own installation is touched: apt gets folders of its own, packages are unpacked and never configured.

RELEASE=sid            # has Bazel 7
SOURCE_RELEASE=trixie  # has sources of libraries that Bazel's rules there can build
TOOLS=(
  bazel-bootstrap bazel-platforms bazel-skylib bazel-rules-cc bazel-rules-java bazel-rules-proto bazel-rules-python bazel-rules-license
  bash coreutils diffutils findutils g++ gawk git grep gzip libc-bin pkg-config python3 sed tar unzip zip
  libabsl-dev libre2-dev libprotobuf-dev protobuf-compiler libgtest-dev libgmock-dev
)
# Without what they depend on: files that a page carries, headers alone.
FILES=(node-d3 node-dagre-layout libcli11-dev libtomlplusplus-dev)
SOURCES=(abseil re2 protobuf googletest cli11 nlohmann-json3 tomlplusplus zlib)

missing_tool() {
  local tool
  [ "$(id -u)" -eq 0 ] || { echo "it takes root to enter another Debian"; return; }
  for tool in apt-get dpkg-deb unshare chroot; do
    command -v "$tool" >/dev/null || { echo "there is no $tool"; return; }
  done
  [ -n "$(mirror)" ] || echo "apt knows no mirror of Debian"
}

mirror() { apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(REPO_URI)' 2>/dev/null | sed -n 's/^Debian main //p' | head -1; }

apt_in() {  # apt_in FOLDER COMMAND ..: apt with folders of its own
  APT_CONFIG=$1/apt.conf "${@:2}"
}

prepare_apt() {
  local folder=$1 key=/usr/share/keyrings/debian-archive-keyring.gpg from
  from=$(mirror)
  mkdir -p "$folder"/apt/lists/partial "$folder"/apt/cache/archives/partial
  : >"$folder/apt/status"
  {
    echo "deb [signed-by=$key] $from $RELEASE main"
    echo "deb-src [signed-by=$key] $from $SOURCE_RELEASE main"
  } >"$folder/apt/sources.list"
  cat >"$folder/apt.conf" <<CONF
Dir::State "$folder/apt";
Dir::State::status "$folder/apt/status";
Dir::State::lists "$folder/apt/lists";
Dir::Cache "$folder/apt/cache";
Dir::Etc::sourcelist "$folder/apt/sources.list";
Dir::Etc::sourceparts "-";
APT::Sandbox::User "root";
CONF
  apt_in "$folder" apt-get -qq update
}

unpack_root() {
  local folder=$1 root=$1/root.new name package
  rm -rf "$root"
  mkdir -p "$root"/usr/{bin,sbin,lib,lib64} "$root"/{proc,dev,tmp,root}
  for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
  for package in "$folder"/apt/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink --exclude=./usr/share/man --exclude=./usr/share/locale
  done
  ln -sf gawk "$root/usr/bin/awk"
  ln -sf g++ "$root/usr/bin/c++"
  mv "$root" "$folder/root"
}

make_debian_root() {
  local folder=$1 why
  [ -d "$folder/root" ] && return
  why=$(missing_tool)
  [ -z "$why" ] || { echo "$why"; return 1; }
  echo "fetching Bazel 7 and its compiler into $folder" >&2
  prepare_apt "$folder" || { echo "its mirror of Debian has no $RELEASE"; return 1; }
  apt_in "$folder" apt-get -qq -y --no-install-recommends -d install "${TOOLS[@]}" >/dev/null || { echo "packages cannot be fetched"; return 1; }
  (cd "$folder/apt/cache/archives" && apt_in "$folder" apt-get -qq download "${FILES[@]}")
  mkdir -p "$folder/packages"
  for package in "${SOURCES[@]}"; do  # one that lacks its description may still have come with its sources
    (cd "$folder/packages" && apt_in "$folder" apt-get -qq source --download-only "$package" >/dev/null 2>&1)
    ls "$folder/packages/${package}_"*.orig.tar.* >/dev/null 2>&1 || { echo "the sources of $package cannot be fetched"; return 1; }
  done
  unpack_root "$folder"
  rm -rf "$folder/apt/cache" "$folder/apt/lists"
}

in_debian_root() {
  local folder=$1
  mkdir -p "$folder/registry" "$folder"/root/srv/{tessera,registry}
  TESSERA_TOP=$PWD TESSERA_ROOT=$folder unshare -m bash -c '
    set -e
    root=$TESSERA_ROOT/root
    mount --make-rprivate /
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --bind "$TESSERA_TOP" "$root/srv/tessera"
    mount --bind "$TESSERA_ROOT/registry" "$root/srv/registry"
    exec chroot "$root" /usr/bin/env -i HOME=/root USER=root LC_ALL=C.UTF-8 PATH=/usr/bin:/bin \
      JAVA_HOME=/usr/lib/jvm/default-java "$@"' bash "${@:2}"
}
