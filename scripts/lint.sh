#!/usr/bin/env bash
# All checks that need no running server: formatting, vet, golangci-lint and go.mod. The first failure ends it.
set -euo pipefail
cd "$(dirname "$0")/.."

version=2.15.0
linter=./.bin/golangci-lint

unformatted=$(git ls-files --cached --others --exclude-standard -- '*.go' | xargs -r gofmt -l)
if [ -n "$unformatted" ]; then
	printf 'not formatted (make fmt):\n%s\n' "$unformatted" >&2
	exit 1
fi

# A word boundary after the version, so that 2.15.0 does not accept 2.15.01.
if ! "$linter" version 2>/dev/null | grep -qE "version v?${version//./\\.}( |$)"; then
	echo "building golangci-lint $version ..." >&2
	GOBIN="$PWD/.bin" go install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$version"
fi
GOFLAGS="$(go env GOFLAGS) ${COMPILED_WITH:-}"
export GOFLAGS
go vet ./...
"$linter" run ./...

# The shipped binary has no load generator, simulator or embedded server, directly or through another package.
unshipped=$(go list -deps ./cmd/banca | grep -E '^banca/internal/(bench|dev|embedded|procstat|simulators|testkit|trial)(/|$)|gofakes3|miniredis' || true)
if [ -n "$unshipped" ]; then
	printf 'cmd/banca must not depend on:\n%s\n' "$unshipped" >&2
	exit 1
fi

go mod tidy -diff
