#!/usr/bin/env bash
# Writes the Debian package $1 as $2 with a later version, for a test of an upgrade.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
dpkg-deb --raw-extract "$1" "$dir"
sed -i -E 's/^Version: .*/&+next/' "$dir/DEBIAN/control"
dpkg-deb --root-owner-group --build "$dir" "$2" >/dev/null
