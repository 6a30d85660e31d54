#!/usr/bin/env bash
# Stops the server of a directory that start.sh created, and removes the directory.
#
#   .ci/postgres/stop.sh DIR
set -uo pipefail

dir=$(cd "${1:?Which directory? .ci/postgres/stop.sh DIR}" && pwd) || exit 0
here=$(cd "$(dirname "$0")" && pwd)
[ -s "$dir/cluster/data/postmaster.pid" ] && "$here/run.sh" pg_ctl -D "$dir/cluster/data" -m immediate -w stop
rm -rf "$dir"
