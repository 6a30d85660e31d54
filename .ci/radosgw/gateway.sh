#!/usr/bin/env bash
# Starts the gateway of a directory that start.sh created (also again after a test has killed it) and waits until it
# answers.
#
#   .ci/radosgw/gateway.sh DIR
set -euo pipefail

dir=$(cd "${1:?Which directory? .ci/radosgw/gateway.sh DIR}" && pwd)
export CEPH_CONF=$dir/ceph.conf
endpoint=$(sed -nE 's/^rgw frontends = beast endpoint=([0-9.:]+).*/\1/p' "$CEPH_CONF")

radosgw -n client.rgw >>"$dir/log/start.log" 2>&1
answers() {
  timeout 5 bash -c '
    exec 3<>"/dev/tcp/${0%:*}/${0#*:}"
    printf "GET / HTTP/1.0\r\n\r\n" >&3
    grep -q "200 OK" <&3' "$endpoint" 2>/dev/null
}
for ((attempt = 0; attempt < 300; attempt++)); do
  answers && exit 0
  sleep 0.1
done
echo "The gateway at $endpoint doesn't answer." >&2
exit 1
