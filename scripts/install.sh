#!/bin/sh
# Installs hooksh: downloads the executable for this machine, checks it against the release's SHA256SUMS, and moves it
# into a directory. Installs nothing unless the checksum is right and the executable starts.
#
#   sh install.sh                      this release, into ~/.local/bin
#
#   HOOKSH_BASE_URL       another releases page: an https mirror with the same layout as GitHub's
#   HOOKSH_VERSION        a tag such as v0.1.0, or latest
#   HOOKSH_INSTALL_DIR    the directory to install to
#   HOOKSH_SHA256         a checksum that the download must have, in addition to the one in SHA256SUMS
#   HOOKSH_PLATFORM       linux-x64, linux-arm64-musl, darwin-arm64 ... instead of the detected one
set -eu

default_version=
default_base_url=

main() {
  base_url=${HOOKSH_BASE_URL:-$default_base_url}
  version=${HOOKSH_VERSION:-${default_version:-latest}}
  directory=${HOOKSH_INSTALL_DIR:-${HOME:?set HOOKSH_INSTALL_DIR, there is no home directory}/.local/bin}
  [ -n "$base_url" ] || fail "this installer names no releases page: set HOOKSH_BASE_URL to one, or build hooksh: npm run build"
  check_url "$base_url"
  platform=${HOOKSH_PLATFORM:-$(find_platform)}
  asset=hooksh-$platform.gz
  case $version in
    latest) from=${base_url%/}/latest/download ;;
    *) from=${base_url%/}/download/$version ;;
  esac

  mkdir -p "$directory"
  # next to its destination, so that the last step is a rename
  scratch=$(mktemp -d "$directory/.hooksh-install.XXXXXX")
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP

  say "downloading $from/$asset"
  download "$from/SHA256SUMS" "$scratch/SHA256SUMS"
  download "$from/$asset" "$scratch/$asset"
  verify "$scratch" "$asset"
  gzip -dc "$scratch/$asset" >"$scratch/hooksh"
  chmod 755 "$scratch/hooksh"
  installed=$("$scratch/hooksh" version 2>"$scratch/stderr") ||
    fail "the executable does not start here: $(advice "$platform")
$(cat "$scratch/stderr")"
  mv -f "$scratch/hooksh" "$directory/hooksh"

  say "installed $installed as $directory/hooksh"
  case :$PATH: in
    *:"$directory":*) ;;
    *) say "add $directory to your PATH to start it by name" ;;
  esac
}

say() { printf '%s\n' "$*" >&2; }
fail() { say "hooksh was not installed: $*"; exit 1; }

# Over plain http, anyone in between could change both file and checksum; it is allowed for this machine only.
check_url() {
  case $1 in
    https://*) ;;
    http://127.0.0.1:* | http://localhost:* | http://127.0.0.1/* | http://localhost/*) ;;
    *) fail "HOOKSH_BASE_URL must start with https://, not $1" ;;
  esac
}

find_platform() {
  case $(uname -m) in
    x86_64 | amd64) machine=x64 ;;
    arm64 | aarch64) machine=arm64 ;;
    *) fail "there is no executable for $(uname -m)" ;;
  esac
  case $(uname -s) in
    Linux) echo "linux-$machine$(libc)" ;;
    Darwin)
      # under Rosetta, uname reports x86
      if [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then machine=arm64; fi
      echo "darwin-$machine"
      ;;
    *) fail "there is no installer for $(uname -s): take the file from the releases page" ;;
  esac
}

# Adds -musl if the C library is musl, according to ldd or, without it, to the installed loader.
libc() {
  if found=$(ldd --version 2>&1) || [ -n "$found" ]; then
    case $found in *musl*) echo -musl ;; esac
  elif [ ! -e /lib64/ld-linux-x86-64.so.2 ] && [ ! -e /lib/ld-linux-aarch64.so.1 ]; then
    for loader in /lib/ld-musl-*; do if [ -e "$loader" ]; then echo -musl; fi; done
  fi
}

download() {
  if command -v curl >/dev/null 2>&1; then
    case $1 in
      https://*) curl --proto '=https' --tlsv1.2 -fsSL --retry 2 -o "$2" "$1" ;;
      *) curl -fsSL -o "$2" "$1" ;;
    esac
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$1"
  else
    fail "neither curl nor wget is there"
  fi || fail "could not download $1"
}

verify() {
  wanted=$(awk -v name="$2" '$2 == name || $2 == "*" name { print $1 }' "$1/SHA256SUMS")
  [ -n "$wanted" ] || fail "SHA256SUMS does not name $2"
  found=$(checksum "$1/$2")
  [ "$found" = "$wanted" ] || fail "$2 has the checksum $found, but SHA256SUMS says $wanted"
  [ "$found" = "${HOOKSH_SHA256:-$found}" ] || fail "$2 has the checksum $found, but HOOKSH_SHA256 says $HOOKSH_SHA256"
}

checksum() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null 2>&1; then shasum -a 256 "$1" | cut -d ' ' -f 1
  elif command -v openssl >/dev/null 2>&1; then openssl dgst -sha256 "$1" | sed 's/.* //'
  else fail "neither sha256sum, shasum nor openssl is there to check the download"
  fi
}

advice() {
  case $1 in
    *-musl) echo "on musl it needs libstdc++ and libgcc (Alpine: apk add libstdc++)" ;;
    *) echo "is $1 this machine's platform?" ;;
  esac
}

# On the last line, so that a truncated download runs nothing.
main
