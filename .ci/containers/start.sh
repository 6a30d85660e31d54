#!/usr/bin/env bash
# Starts a container engine of its own, as root, with the programs that `install` has put beside it. It listens on a socket
# only, and its containers' ports are open on loopback only. Images and layers stay in DIR for the next start.
#
#   .ci/containers/start.sh DIR     and later     .ci/containers/stop.sh DIR
#
# DIR will contain `docker.env` with the settings for clients, which are also printed.
set -euo pipefail

dir=${1:?Which directory? .ci/containers/start.sh DIR}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir/config" && dir=$(cd "$dir" && pwd)
programs=${CONTAINER_PROGRAMS:-$dir/../programs}
programs=$(cd "$programs" && pwd)
[ -s "$dir/pid" ] && kill -0 "$(<"$dir/pid")" 2>/dev/null && { echo "$dir is in use: run stop.sh on it first." >&2; exit 1; }
trap 'status=$?; [ $status = 0 ] || { tail -n 20 "$dir/log" >&2; "$here/stop.sh" "$dir"; }; exit $status' EXIT
rm -f "$dir/pid"

# A socket's path may have 107 characters, fewer than a folder's.
run=$(mktemp -d -t postshelf-engine-XXXXXX)
echo "$run" >"$dir/run"
export PATH=$programs/usr/bin:$programs/usr/sbin:$PATH
setsid dockerd --data-root "$dir/data" --exec-root "$run/exec" --host "unix://$run/docker.sock" --pidfile "$dir/pid" \
  --ip 127.0.0.1 --storage-driver overlay2 </dev/null >"$dir/log" 2>&1 &

# Where its clients find Compose and Buildx, and no credentials of this machine.
printf '{"cliPluginsExtraDirs":["%s/usr/libexec/docker/cli-plugins"]}\n' "$programs" >"$dir/config/config.json"
export DOCKER_HOST=unix://$run/docker.sock DOCKER_CONFIG=$dir/config
for ((attempt = 0; attempt < 300; attempt++)); do
  docker info >/dev/null 2>&1 && break
  kill -0 $! 2>/dev/null || { echo 'The container engine ended.' >&2; exit 1; }
  sleep 0.1
done
docker info >/dev/null

cat >"$dir/docker.env" <<ENV
DOCKER_HOST=$DOCKER_HOST
DOCKER_CONFIG=$DOCKER_CONFIG
PATH=$PATH
ENV
cat "$dir/docker.env"
