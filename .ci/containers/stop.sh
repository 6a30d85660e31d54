#!/usr/bin/env bash
# Stops the engine of a directory that start.sh used, and its containers, which it removes. Images stay.
#
#   .ci/containers/stop.sh DIR
set -uo pipefail

dir=$(cd "${1:?Which directory? .ci/containers/stop.sh DIR}" && pwd) || exit 0
run=$(cat "$dir/run" 2>/dev/null) || exit 0
programs=${CONTAINER_PROGRAMS:-$dir/../programs}
export DOCKER_HOST=unix://$run/docker.sock PATH=$programs/usr/bin:$PATH

pid=$(cat "$dir/pid" 2>/dev/null)
runs() { [ -n "$pid" ] && tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -- "--data-root $dir/data"; }
if runs; then
  containers=$(docker ps --all --quiet)
  # shellcheck disable=SC2086
  [ -n "$containers" ] && docker rm --force --volumes $containers >/dev/null
  # Networks too, which leave bridges on the machine.
  docker network prune --force >/dev/null
  docker volume prune --all --force >/dev/null
  kill "$pid"
  for ((attempt = 0; attempt < 300; attempt++)); do
    runs || break
    sleep 0.1
  done
fi
# Its bridge, unless another engine of this machine uses it.
pgrep -x dockerd | grep -qvx "$pid" || ip link delete docker0 2>/dev/null
rm -rf "$run" "$dir/run" "$dir/docker.env"
