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
"$generator" bin -json -licenses -std -version "v$(.bin/banca version)" -output .bin/banca.cdx.json .bin/banca
echo .bin/banca.cdx.json
