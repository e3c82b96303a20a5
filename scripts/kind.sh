#!/usr/bin/env bash
# Prints "rolling" or "stop": how the release VERSION is installed, by the first line of its section in docs/operations.md.
set -euo pipefail
cd "$(dirname "$0")/.."

first=$(awk -v heading="### $1" '$0 == heading {found = 1; next} found && NF {print; exit}' docs/operations.md)
sed -nE 's/^\*\*(rolling|stop)\*\*.*/\1/p' <<<"$first" | grep . ||
	{ echo "docs/operations.md does not say of $1 whether it is **rolling** or needs a **stop**" >&2; exit 1; }
