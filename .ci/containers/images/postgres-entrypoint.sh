#!/bin/bash
# As the entry point of the official image, with what is needed of it: sets the cluster up once, then runs the server.
set -euo pipefail

if [ "$(id -u)" = 0 ]; then
  chown postgres /var/lib/postgresql/data
  exec setpriv --reuid postgres --regid postgres --clear-groups -- "$0" "$@"
fi
export PGDATA=/var/lib/postgresql/data
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  password=${POSTGRES_PASSWORD:-$(cat "${POSTGRES_PASSWORD_FILE:-/dev/null}")}
  user=${POSTGRES_USER:-postgres}
  initdb --username="$user" --auth=scram-sha-256 --pwfile=<(printf '%s\n' "$password") --encoding=UTF8
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --options "-c listen_addresses='' -c unix_socket_directories=/tmp" --wait start
  name=${POSTGRES_DB:-$user}
  [ "$name" = postgres ] || PGPASSWORD=$password createdb --host=/tmp --username="$user" "$name"
  pg_ctl --mode=fast --wait stop
fi
exec "$@" -c listen_addresses='*' -c unix_socket_directories=/tmp
