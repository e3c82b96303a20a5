#!/usr/bin/env bash
# Prints the packages that `make race` runs whole: those that start goroutines or hold locks, those with transactions at
# once, and those with random properties, of which `make test` tries fewer cases. Packages of development are left out, and
# web and api, whose own tests take minutes with the race detector: `make race` names their tests of concurrency.
set -euo pipefail
cd "$(dirname "$0")/.."

{
	grep -rlE '"sync(/atomic)?"|go func|\.Go\(func' --include='*.go' --exclude='*_test.go' api internal scheduler storage tasks web worker
	grep -rl 'rapid\.Check' --include='*_test.go' internal web
} | xargs -n 1 dirname | sort -u |
	grep -vE '^internal/(dev|setup/seed)|^(web|api)$' | sed 's|^|./|'
# Their tests are about transactions at once.
printf './internal/%s\n' activity agencies devices draws platform/feed ledger messaging prizes rollup weekly
