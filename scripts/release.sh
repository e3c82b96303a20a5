#!/usr/bin/env bash
# Checks a release before it is tagged: its version and notes, the compatibility of its API with the last release, its
# migrations up and down,
# the licences of its modules, and a system of the last release that sells while this one is installed.
#
# docs/releases/<last version> holds of the last release the OpenAPI document, the names of its migrations and its commit; `release.sh
# keep` writes it after a release was tagged. docs/releases/accepted-<version>.txt lists incompatible changes of the new release, one
# line of oasdiff's text each; they need a new major version, before 1.0.0 a new minor version, and a sentence in docs/operations.md.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "release-check: $*" >&2; exit 1; }

mapfile -t versions < <(sed -nE 's/^## \[([0-9]+\.[0-9]+\.[0-9]+)\] - ([0-9-]{10}|Unreleased)$/\1/p' CHANGELOG.md)
version=${versions[0]:-} last=${versions[1]:-}

if [ "${1:-}" = keep ]; then
	rm -rf docs/releases/[0-9]*
	mkdir -p "docs/releases/$version"
	gzip -9 -n <openapi.yaml >"docs/releases/$version/openapi.yaml.gz"
	git rev-parse HEAD >"docs/releases/$version/commit"
	(cd models/migrations && printf '%s\n' *.sql) >"docs/releases/$version/migrations"
	echo "docs/releases/$version: commit it with the first line of the next section of CHANGELOG.md"
	exit
fi
[ -n "$last" ] || fail "CHANGELOG.md has no two releases"
echo "== release $version after $last"

if tagged=$(git rev-parse -q --verify "refs/tags/v$version^{commit}") && [ "$tagged" != "$(git rev-parse HEAD)" ]; then
	fail "v$version is released already: begin a new section in CHANGELOG.md"
fi
! grep -qF "## [$version] - Unreleased" CHANGELOG.md || fail "write the date of $version into its heading in CHANGELOG.md"
scripts/kind.sh "$version" >/dev/null || fail "its notes are not complete"

echo "== compatibility of openapi.yaml with $last"
oasdiff_version=1.36.0
oasdiff=./.bin/oasdiff
if ! go version -m "$oasdiff" 2>/dev/null | grep -qE "oasdiff[[:space:]]+v${oasdiff_version//./\\.}([[:space:]]|$)"; then
	echo "building oasdiff $oasdiff_version ..." >&2
	GOBIN="$PWD/.bin" go install "github.com/oasdiff/oasdiff@v$oasdiff_version"
fi
stored=docs/releases/$last/openapi.yaml.gz accepted=docs/releases/accepted-$version.txt
[ -e "$stored" ] || fail "$stored is missing: scripts/release.sh keep writes it on the commit of $last"
before=$(mktemp --suffix=.yaml)
trap 'rm -f "$before"' EXIT
gunzip -c "$stored" >"$before"
ignore=()
if [ -e "$accepted" ]; then
	position=$([ "${version%%.*}" = 0 ] && echo 1,2 || echo 1)
	[ "$(cut -d. -f"$position" <<<"$version")" != "$(cut -d. -f"$position" <<<"$last")" ] ||
		fail "$accepted accepts incompatible changes, which $version may not have after $last"
	ignore=(--err-ignore "$accepted")
fi
"$oasdiff" breaking --severity-levels docs/releases/severity.txt "${ignore[@]}" --fail-on ERR "$before" openapi.yaml ||
	fail "clients of $last would fail: see docs/pos.md about what may change"

echo "== published weaknesses of the images"
scripts/images.sh || fail "see deploy/images.txt"

echo "== migrations down and up, openapi.yaml, licences"
make --no-print-directory delivery
go test -trimpath -tags=nomsgpack -count=1 ./models/migrations . ./docs
go test -trimpath -tags=nomsgpack -count=1 ./api -run OpenAPI

echo "== $last sells while $version is installed"
scripts/upgrade.sh
echo "release-check: $version may be tagged v$version, after make vuln, fuzz, long, pages, machines and sbom"
