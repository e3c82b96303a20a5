#!/usr/bin/env bash
# Builds ./.bin/banca as the image has it and writes its software bill of materials, with the licences of the modules, as
# CycloneDX JSON to .bin/banca.cdx.json. The packages below it in the image are those of `apk info -v`.
set -euo pipefail
cd "$(dirname "$0")/.."

version=1.10.0
generator=./.bin/cyclonedx-gomod
if ! go version -m "$generator" 2>/dev/null | grep -qE "cyclonedx-gomod[[:space:]]+v${version//./\\.}([[:space:]]|$)"; then
	echo "building cyclonedx-gomod $version ..." >&2
	GOBIN="$PWD/.bin" go install "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v$version"
fi
CGO_ENABLED=0 make --no-print-directory build
command -v jq >/dev/null || { echo "jq is missing" >&2; exit 1; }
found=.bin/banca.found.json
"$generator" bin -json -licenses -std -version "v$(.bin/banca version)" -output "$found" .bin/banca

# What the generator does not recognise, such as a licence text that was extended, is in docs/licences.txt, which a test compares with the texts.
# The serial number and the time of the run are left out: two documents of one commit are the same.
jq --rawfile table docs/licences.txt --arg time "$(date -u -d "@$(git log -1 --format=%ct)" +%FT%TZ)" '
	([$table | scan("(?m)^([^ ]+) ([^ ]+)$")] | map({(.[0]): .[1]}) | add + {std: "BSD-3-Clause"}) as $known
	| del(.serialNumber) | .metadata.timestamp = $time
	| .components |= map(if (.evidence.licenses // .licenses) or ($known[.name] | not) then . else .licenses = [{license: {id: $known[.name]}}] end)
' "$found" >.bin/banca.cdx.json
rm "$found"
without=$(jq -r '.components[] | select((.evidence.licenses // .licenses) | not) | .name' .bin/banca.cdx.json)
[ -z "$without" ] || { echo "no licence is known of $without: docs/licences.txt" >&2; exit 1; }
echo .bin/banca.cdx.json
