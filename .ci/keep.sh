#!/usr/bin/env bash
# Runs a server for as long as standard input is open, which ends when the process behind it does, however that comes.
# Prints what the server's start.sh prints. An interrupt from the keyboard goes to the whole group and must not end it before.
#
#   .ci/keep.sh postgres|radosgw DIR
here=$(cd "$(dirname "$0")" && pwd)/${1:?Which server? .ci/keep.sh postgres|radosgw DIR}
dir=${2:?Which directory? .ci/keep.sh postgres|radosgw DIR}
trap '' INT TERM HUP

"$here/start.sh" "$dir" && cat >/dev/null
"$here/stop.sh" "$dir" >/dev/null 2>&1
