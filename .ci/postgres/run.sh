#!/usr/bin/env bash
# Runs one of PostgreSQL's programs: of POSTGRES_BIN, or of the newest version that is installed from Debian's packages,
# otherwise from the PATH. If this user is root, it is run as nobody.
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
PATH=${POSTGRES_BIN:+$POSTGRES_BIN:}$PATH
cd /
if [ "$(id -u)" = 0 ]; then exec setpriv --reuid nobody --regid nogroup --clear-groups -- "$program" "$@"; fi
exec "$program" "$@"
