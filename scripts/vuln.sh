#!/usr/bin/env bash
# Reports known vulnerabilities of the dependencies that this module calls, with govulncheck.
#
# VULN_DB is the address of the vulnerability database or of a copy (https://... or file:///...); the default is the one of
# the Go project. It cannot be reached from every network, so this is not a part of `make lint`.
set -euo pipefail
cd "$(dirname "$0")/.."

version=1.8.0
scanner=./.bin/govulncheck
database=${VULN_DB:-https://vuln.go.dev}

if ! go version -m "$scanner" 2>/dev/null | grep -qE "golang\.org/x/vuln[[:space:]]+v${version//./\\.}([[:space:]]|$)"; then
	echo "building govulncheck $version ..." >&2
	GOBIN="$PWD/.bin" go install "golang.org/x/vuln/cmd/govulncheck@v$version"
fi

errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
status=0
"$scanner" -db "$database" ./... 2>"$errors" || status=$?
cat "$errors" >&2
if grep -q '^govulncheck: fetching vulnerabilities' "$errors"; then
	echo "make vuln: nothing was checked, because the vulnerability database $database cannot be reached from" \
		"here. Run it on a network that reaches the database, or set VULN_DB to the address of a copy." >&2
fi
exit "$status"
