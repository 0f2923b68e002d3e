#!/bin/sh
# Builds and tests the image of the Dockerfile on a machine without a container engine: as root on Debian or Ubuntu, with
# debootstrap, buildah and unshare. Builds the base images from Debian's packages and the installed Node.
#
#   sh scripts/image.sh [DIRECTORY]     keeps all files in DIRECTORY (default: a temporary one, removed)
#
# Exits 77 if this machine cannot build the base images (no package mirror, no permission).
#
# apt-get install -y --no-install-recommends buildah debootstrap util-linux
set -eu
cd "$(dirname "$0")/.."
project=$PWD

for tool in debootstrap buildah unshare chroot node npm; do
  command -v "$tool" >/dev/null || { echo "image.sh needs $tool" >&2; exit 1; }
done
[ "$(id -u)" = 0 ] || { echo "image.sh must run as root: it makes file systems" >&2; exit 1; }

keep=${1:-}
if [ -n "$keep" ]; then
  mkdir -p "$1"
  scratch=$(cd "$1" && pwd)
else
  scratch=$(mktemp -d)
fi
finish() {
  code=$?
  # leave nothing mounted
  buildah rm --all >/dev/null 2>&1 || true
  umount "$scratch/storage/overlay" 2>/dev/null || true
  [ -n "$keep" ] || rm -rf "$scratch"
  exit "$code"
}
trap finish EXIT

# Uses no namespaces, and overlays only if available, so that it works in a container and in a virtual machine.
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=overlay
buildah() { command buildah --root "$scratch/storage" --runroot "$scratch/run" --storage-driver "$STORAGE_DRIVER" "$@"; }
buildah info >/dev/null 2>&1 || STORAGE_DRIVER=vfs

if ! [ -e "$scratch/base/etc/debian_version" ]; then
  echo "== base image"
  debootstrap --variant=minbase --include=ca-certificates bookworm "$scratch/base" >"$scratch/debootstrap.log" 2>&1 || {
    tail -n 20 "$scratch/debootstrap.log" >&2
    exit 77
  }
fi
# Removes what the slim image leaves out.
rm -rf "$scratch"/base/usr/share/doc/* "$scratch"/base/usr/share/man/* "$scratch"/base/usr/share/locale/* \
  "$scratch"/base/var/cache/apt/* "$scratch"/base/var/lib/apt/lists/*

if ! buildah images -q localhost/base >/dev/null 2>&1; then
  container=$(buildah from scratch)
  buildah add -q "$container" "$scratch/base" / >/dev/null
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  buildah commit -q --rm "$container" localhost/base >/dev/null
fi

if ! buildah images -q localhost/node >/dev/null 2>&1; then
  echo "== image with Node"
  modules=$(npm root -g)
  container=$(buildah from --pull-never localhost/base)
  buildah copy -q "$container" "$(readlink -f "$(command -v node)")" /usr/bin/node >/dev/null
  buildah copy -q "$container" "$modules/npm" /usr/lib/node_modules/npm >/dev/null
  ldd "$(readlink -f "$(command -v node)")" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' | while read -r library; do
    buildah copy -q "$container" "$(readlink -f "$library")" "$library" >/dev/null
  done
  buildah run "$container" -- ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm
  # The certificates that this machine trusts.
  buildah copy -q "$container" /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt >/dev/null
  buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
  buildah commit -q --rm "$container" localhost/node >/dev/null
fi

# Builds the Dockerfile with these packages and tests the image.
try() { # try NAME PACKAGES
  echo "== image $1 ($2)"
  buildah bud -q --pull-never --layers --network host --build-arg NODE_IMAGE=localhost/node \
    --build-arg BASE_IMAGE=localhost/base --build-arg PACKAGES="$2" \
    --build-arg COMMIT="$(git rev-parse HEAD 2>/dev/null || echo unknown)" -t "localhost/$1" "$project" >"$scratch/$1.log" 2>&1 || {
    tail -n 30 "$scratch/$1.log" >&2
    exit 1
  }
  container=$(buildah from --pull-never "localhost/$1")
  rootfs=$(buildah mount "$container")
  buildah inspect --type image "localhost/$1" >"$scratch/$1.json"
  echo "$(du -sm "$rootfs" | cut -f 1) MB"
  HOOKSH_TEST_IMAGE=$rootfs HOOKSH_TEST_IMAGE_CONFIG=$scratch/$1.json \
    sh scripts/with-bun.sh test test/release/image.test.ts
  buildah rm "$container" >/dev/null
}

try hooksh "ca-certificates git tini"
try hooksh-slim "ca-certificates tini"
