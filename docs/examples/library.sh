#!/usr/bin/env bash
# bash, curl and jq: bash library.sh beach.jpg https://example.com/clip.mp4 film.mp4
set -euo pipefail

base=${POSTSHELF_URL%/}/v1
library=$base/workspaces/$POSTSHELF_WORKSPACE/media_contents

# Prints the JSON of an answer, or what is wrong, which ends the program.
call() {
  local answer status
  answer=$(curl --show-error --write-out '\n%{http_code}' -H "Authorization: Bearer $POSTSHELF_TOKEN" "$@")
  status=${answer##*$'\n'} answer=${answer%$'\n'*}
  if ((status < 300)); then
    printf '%s\n' "$answer"
  else
    jq -r --arg status "$status" '[.errors // {} | .[][]] as $sentences
      | "\($status): \(if $sentences == [] then .message else $sentences | join(" ") end)"' <<<"$answer" >&2
    return 1
  fi
}

upload() {
  call --progress-bar -F "files[]=@$1" "$library" | jq -r '"uploaded \(.data[0].name)"'
}

# Has the service fetch a file, and waits until it is there.
import_url() {
  local item
  item=$(call --silent --json "$(jq -n --arg url "$1" '{$url}')" "$library" | jq '.data[0]')
  while [ "$(jq -r .status <<<"$item")" = processing ]; do
    sleep 0.3
    item=$(call --silent "$base/media_contents/$(jq -r .id <<<"$item")" | jq .data)
  done
  jq -er 'if .status == "active" then "imported \(.name)" else .error_message | halt_error end' <<<"$item"
}

# Sends up to 2 GB straight to the storage: without the token, which is not the storage's business.
upload_presigned() {
  local mime=video/mp4 file issued
  case $1 in *.mov) mime=video/quicktime ;; *.jpg) mime=image/jpeg ;; *.png) mime=image/png ;; esac
  file=$(jq -n --arg name "$(basename "$1")" --argjson size "$(wc -c <"$1")" --arg mime $mime '{files: [{$name, $size, $mime}]}')
  issued=$(call --silent --json "$file" "$library/presign" | jq '.data[0]')
  jq -r '.upload_headers | fromjson | to_entries[] | "\(.key): \(.value)"' <<<"$issued" |
    curl --fail --progress-bar --output /dev/null -T "$1" -H @- "$(jq -r .upload_url <<<"$issued")"
  call --silent -X POST "$base/media_contents/$(jq -r .id <<<"$issued")/confirm" | jq -r '"presigned \(.data.name)"'
}

# Every page of the library.
count_items() {
  local url="$library?per_page=100" page count=0
  while [ "$url" != null ]; do
    page=$(call --silent "$url")
    count=$((count + $(jq '.data | length' <<<"$page")))
    url=$(jq -r .links.next <<<"$page")
  done
  echo "library of $count"
}

best_hour() {
  call --silent "$base/analytics/best_times?workspace=$POSTSHELF_WORKSPACE" |
    jq -r '[.data.heatmap | to_entries[] | .key as $day | .value | to_entries[] | {$day, hour: .key, value}]
      | max_by(.value) | "\(.day) \(.hour) \(.value)"' |
    while read -r day hour value; do
      # Too few posts to learn from: every cell is 0.
      if [ "$value" = 0 ]; then echo 'no best times yet'; else
        printf 'best at %s %d:00, %.2f\n' "$day" "$hour" "$value"
      fi
    done
}

upload "$1"
import_url "$2"
upload_presigned "$3"
count_items
best_hour
