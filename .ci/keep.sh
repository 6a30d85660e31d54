#!/usr/bin/env bash
# Runs a server until standard input is closed, which also happens if the calling process is killed. Prints the output
# of the server's start.sh. Ignores interrupts from the keyboard, which reach the whole process group, so that the
# server is still there while the tests end.
#
#   .ci/keep.sh postgres|radosgw DIR
here=$(cd "$(dirname "$0")" && pwd)/${1:?Which server? .ci/keep.sh postgres|radosgw DIR}
dir=${2:?Which directory? .ci/keep.sh postgres|radosgw DIR}
trap '' INT TERM HUP

"$here/start.sh" "$dir" && cat >/dev/null
"$here/stop.sh" "$dir" >/dev/null 2>&1
