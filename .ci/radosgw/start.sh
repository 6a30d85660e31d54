#!/usr/bin/env bash
# Starts a real S3 for tests: Ceph's gateway (radosgw) with one monitor and one store in memory, only on loopback.
# Debian packages: radosgw ceph-mon ceph-osd ceph-common (--no-install-recommends). Up in about two seconds.
#
#   .ci/radosgw/start.sh DIR [PORT]     and later     .ci/radosgw/stop.sh DIR
#
# DIR must not be in use; it will contain the daemons' files, and `s3.env` with the settings for the gateway, which are
# also printed. Without PORT the gateway answers on a loopback address of its own, so that any number of them fit on a
# machine without looking for free ports.
#
# OBJECT_BYTES limits the size of the store (default: 4 GB); a full store hangs. Removed objects take space for another
# minute. In a container S3_ADDRESS is where the gateway listens, and KEY_ID and KEY are those of its user.
set -euo pipefail

dir=${1:?Which directory? .ci/radosgw/start.sh DIR [PORT]}
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$dir/ceph.conf" ] && { echo "$dir is in use: run stop.sh on it first." >&2; exit 1; }
mkdir -p "$dir"/{mon,osd,run,log}
dir=$(cd "$dir" && pwd)
trap 'status=$?; [ $status = 0 ] || { tail -n 20 "$dir"/log/*.log >&2; "$here/stop.sh" "$dir"; }; exit $status' EXIT

read -r a b c < <(od -An -N3 -tu1 /dev/urandom)
own=127.$((a % 254 + 1)).$b.$((c % 254 + 1))
endpoint=${2:+127.0.0.1:$2}
endpoint=${endpoint:-${S3_ADDRESS:-$own:7480}}
cluster=$(cat /proc/sys/kernel/random/uuid)
store=$(cat /proc/sys/kernel/random/uuid)

# These daemons are only reachable from this machine, so they don't authenticate each other; the gateway checks
# signatures as usual. One replica, few placement groups and few index shards, as the cluster has a single node. A
# killed gateway is dropped after two seconds instead of thirty, as the first write of the next one waits for that.
cat > "$dir/ceph.conf" <<CONF
[global]
fsid = $cluster
mon host = [v2:$own:3300/0]
public addr = $own
cluster addr = $own
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
ms mon service mode = crc
ms mon cluster mode = crc
mon data = $dir/mon
osd data = $dir/osd
run dir = $dir/run
admin socket = $dir/run/\$name.asok
pid file = $dir/\$type.pid
log file = $dir/log/\$name.log
mon cluster log file = $dir/log/cluster.log
crash dir = $dir/run
log to stderr = false
err to stderr = false
debug ms = 0/0
mon allow pool size one = true
mon max pg per osd = 2000
mon data avail crit = 1
mon data avail warn = 1
mon shutdown timeout = 1
paxos propose interval = 0.05
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd objectstore = memstore
memstore device bytes = ${OBJECT_BYTES:-4294967296}
memstore page set = false
osd heartbeat grace = 3600
osd mon shutdown timeout = 0.2
osd client watch timeout = 2

[client.rgw]
rgw frontends = beast endpoint=$endpoint tcp_nodelay=1
rgw data = $dir/run
rgw enable apis = s3, admin
rgw init timeout = 600
rgw thread pool size = 64
rgw enable usage log = false
rgw override bucket index max shards = 1
rgw gc max objs = 4
rgw gc obj min wait = 60
rgw gc processor period = 30
rgw lc max objs = 4
rgw usage max shards = 1
rgw usage max user shards = 1
rgw data log num shards = 1
rgw md log max shards = 1
rgw objexp hints num shards = 1
rgw reshard num logs = 1
rgw run sync thread = false
CONF
export CEPH_CONF=$dir/ceph.conf PYTHONWARNINGS=ignore
log=$dir/log/start.log

monmaptool --create --fsid "$cluster" --addv a "[v2:$own:3300/0]" "$dir/monmap" >>"$log"
ceph-mon --mkfs -i a --monmap "$dir/monmap" >>"$log" 2>&1
ceph-mon -i a >>"$log" 2>&1
ceph osd new "$store" >>"$log" 2>&1
ceph-osd -i 0 --mkfs --osd-uuid "$store" >>"$log" 2>&1
ceph-osd -i 0 >>"$log" 2>&1
until ceph osd stat 2>>"$log" | grep -q '1 up'; do sleep 0.1; done

# make_user NAME prints its two keys, as two lines.
make_user() {
  radosgw-admin -n client.rgw user create --uid="$1" --display-name="$1" ${KEY_ID:+--access-key="$KEY_ID" --secret="$KEY"} 2>>"$log" |
    sed -nE 's/^ *"(access|secret)_key": "(.*)",?$/\2/p'
}
{ read -r id; read -r secret; } < <(make_user postshelf)
"$here/gateway.sh" "$dir"

umask 077
cat > "$dir/s3.env" <<ENV
S3_ENDPOINT=http://$endpoint
S3_REGION=us-east-1
S3_ACCESS_KEY_ID=$id
S3_SECRET_ACCESS_KEY=$secret
S3_FORCE_PATH_STYLE=true
ENV
cat "$dir/s3.env"
