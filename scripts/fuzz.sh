#!/usr/bin/env bash
# Runs each fuzz target for FUZZTIME (10s), one after the other. A failing input is written below testdata/fuzz of its package:
# commit it, go test runs it from then on.
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
while IFS=: read -r file name; do
	echo "== $name in ${file%/*}"
	go test -run '^$' -fuzz "^$name\$" -fuzztime "${FUZZTIME:-10s}" "./${file%/*}" || status=1
done < <(git grep -oE --untracked 'func Fuzz[A-Za-z0-9_]+' -- '*_test.go' | sed 's/func //' | grep -E "${TARGET:-.}")
exit "$status"
