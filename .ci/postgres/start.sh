#!/usr/bin/env bash
# Starts a PostgreSQL server for tests, on a loopback address of its own, so that any number of them fit on a machine
# without looking for free ports. Debian package: postgresql (15 or newer). Up in about a second.
#
#   .ci/postgres/start.sh DIR     and later     .ci/postgres/stop.sh DIR
#
# DIR must not be in use; it will contain the cluster, and `postgres.env` with the address of its first database, which
# is also printed. The server runs as this user, or as nobody if this user is root, as PostgreSQL refuses to run as
# root.
#
# Settings that tests must not depend on have unusual values: collation, time zone, isolation level. Commits aren't
# synced to the disk (fsync): they survive a crash of the server, but not of the machine.
set -euo pipefail

dir=${1:?Which directory? .ci/postgres/start.sh DIR}
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$dir/cluster" ] && { echo "$dir is in use: run stop.sh on it first." >&2; exit 1; }
mkdir -p "$dir/cluster"
dir=$(cd "$dir" && pwd)
trap 'status=$?; [ $status = 0 ] || { cat "$dir/start.log" "$dir/cluster/log" >&2; "$here/stop.sh" "$dir"; }; exit $status' EXIT

read -r a b c < <(od -An -N3 -tu1 /dev/urandom)
address=127.$((a % 254 + 1)).$b.$((c % 254 + 1))
password=$(cat /proc/sys/kernel/random/uuid)

printf '%s\n' "$password" >"$dir/password"
if [ "$(id -u)" = 0 ]; then
  chmod 711 "$dir"
  chown nobody:nogroup "$dir/cluster" "$dir/password"
fi
chmod 600 "$dir/password"
"$here/run.sh" initdb -D "$dir/cluster/data" -U postshelf --auth=scram-sha-256 --pwfile="$dir/password" --no-sync \
  --encoding=UTF8 --locale=C.UTF-8 --locale-provider=icu --icu-locale=en-US >"$dir/start.log" 2>&1
rm "$dir/password"
cat >>"$dir/cluster/data/postgresql.conf" <<CONF
listen_addresses = '$address'
unix_socket_directories = ''
max_connections = 200
fsync = off
full_page_writes = off
timezone = 'Pacific/Chatham'
datestyle = 'German, DMY'
default_transaction_isolation = 'serializable'
CONF
"$here/run.sh" pg_ctl -D "$dir/cluster/data" -l "$dir/cluster/log" -w start >>"$dir/start.log" 2>&1

umask 077
echo "DATABASE_TEST_URL=postgres://postshelf:$password@$address:5432/postgres" >"$dir/postgres.env"
cat "$dir/postgres.env"
