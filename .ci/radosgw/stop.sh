#!/usr/bin/env bash
# Stops the daemons of a directory that start.sh created, gateway first, and removes the directory. Stops nothing else:
# a process is only killed if it runs one of the daemons on this directory.
#
#   .ci/radosgw/stop.sh DIR
set -uo pipefail

dir=$(cd "${1:?Which directory? .ci/radosgw/stop.sh DIR}" && pwd) || exit 0

runs() {
  tr '\0' '\n' 2>/dev/null <"/proc/$1/environ" | grep -qxF "CEPH_CONF=$dir/ceph.conf" &&
    ! grep -q '^State:.Z' "/proc/$1/status"
}

for daemon in client osd mon; do
  [ -s "$dir/$daemon.pid" ] || continue
  pid=$(<"$dir/$daemon.pid")
  runs "$pid" || continue
  # A clean shutdown isn't needed, as the store is in memory.
  kill -KILL "$pid"
  for ((attempt = 0; attempt < 50; attempt++)); do
    runs "$pid" || break
    sleep 0.1
  done
done
rm -rf "$dir"
