#!/usr/bin/env bash
# Installs this release over the last one while the last one sells (TestRollingRestart with a program of the last release), if
# docs/operations.md says that the release is rolling. The last release is the commit in docs/releases, which the clone must have.
set -euo pipefail
cd "$(dirname "$0")/.."

last=$(basename docs/releases/[0-9]*)
version=$(sed -nE 's/^## \[([0-9.]+)\].*/\1/p;T;q' CHANGELOG.md)
kind=$(scripts/kind.sh "$version")
if [ "$kind" = stop ]; then
	echo "upgrade-check: $version needs a stop, nothing is tried" >&2
	exit
fi
commit=$(cat "docs/releases/$last/commit")
git cat-file -e "$commit^{commit}" || { echo "upgrade-check: this clone has no commit $commit of $last (git fetch --unshallow)" >&2; exit 1; }

dir=$(mktemp -d)
trap 'git worktree remove --force "$dir/src" 2>/dev/null; rm -rf "$dir"' EXIT
git worktree add --detach --quiet "$dir/src" "$commit"
echo "building banca $last ..." >&2
# Releases since 0.4.0 have the command that fills a database in banca-dev.
program=./cmd/banca
[ ! -d "$dir/src/cmd/banca-dev" ] || program=./cmd/banca-dev
(cd "$dir/src" && GOGC=400 go build -tags nomsgpack -o "$dir/banca" "$program")
BANCA_LAST_RELEASE="$dir/banca" go test -count=1 -v ./test -run '^TestRollingRestart$'
