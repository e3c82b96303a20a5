#!/usr/bin/env bash
# Prints the packages that start goroutines or hold locks, and those with transactions at once, without those of development and without web and api, whose own
# tests take minutes with the race detector: `make race` names those of theirs that are about concurrency.
set -euo pipefail
cd "$(dirname "$0")/.."

grep -rlE '"sync(/atomic)?"|go func|\.Go\(func' --include='*.go' --exclude='*_test.go' api internal scheduler storage tasks web worker |
	xargs -n 1 dirname | sort -u | grep -vE '^internal/(bench|dev|embedded|procstat|seed|simulators|testkit|trial)|^(web|api)$' | sed 's|^|./|'
# Their tests are about transactions at once.
printf './internal/%s\n' activity agencies devices draws feed ledger messaging prizes rollup weekly
