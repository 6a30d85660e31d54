#!/usr/bin/env bash
# Runs a program of PostgreSQL's, of the newest version that Debian's packages put on this machine or else from the PATH;
# as nobody where this user is root.
#
#   .ci/postgres/run.sh PROGRAM ARGUMENT…
set -euo pipefail

program=${1:?Which program? .ci/postgres/run.sh PROGRAM ARGUMENT…}
shift
shopt -s nullglob
versions=(/usr/lib/postgresql/*/bin)
if [ ${#versions[@]} -gt 0 ]; then
  PATH=$(printf '%s\n' "${versions[@]}" | sort -V | tail -n 1):$PATH
fi
cd /
if [ "$(id -u)" = 0 ]; then exec setpriv --reuid nobody --regid nogroup --clear-groups -- "$program" "$@"; fi
exec "$program" "$@"
