#!/usr/bin/env bash
# Compares deploy/images.txt with the images that the compose files, the Dockerfile and the manifests name, and fails if published weaknesses of
# one were not looked at within IMAGE_MAX_AGE (90) days.
set -euo pipefail
cd "$(dirname "$0")/.."

used=$({
	sed -nE 's/^ +image: +([^ $]+:[^ $]+)$/\1/p' docker-compose.yml deploy/compose/docker-compose.yml deploy/kubernetes/*.yaml
	sed -nE 's/^FROM +([^ ]+:[^ ]+).*/\1/p' Dockerfile
} | sort -u)
listed=$(sed -nE 's/^([a-z][^ ]*) .*/\1/p' deploy/images.txt | sort -u)
if [ "$used" != "$listed" ]; then
	diff <(echo "$listed") <(echo "$used") | sed -nE 's/^< /images: not used any more: /p; s/^> /images: not in deploy\/images.txt: /p' >&2
	exit 1
fi
oldest=$(date -u -d "${IMAGE_MAX_AGE:-90} days ago" +%F)
while read -r image checked _; do
	[[ $image == \#* || $checked > $oldest ]] ||
		{ echo "images: weaknesses of $image were last looked at on $checked: read its advisories, change the tag if needed, and the date" >&2; exit 1; }
done <deploy/images.txt
