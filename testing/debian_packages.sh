# Sourced by scripts that need programs of Debian.
#
#   need_packages zsh fish || exit 1     installs those that are missing, and says so; fails where that cannot be done

need_packages() {
  local package missing=() run=()
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0
  echo "installing ${missing[*]}" >&2
  [ "$(id -u)" -eq 0 ] || run=(sudo)
  "${run[@]}" apt-get update >&2 &&
    "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" >&2
}
