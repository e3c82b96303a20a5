#!/usr/bin/env bash
# Installs dist/banca_*_<this architecture>.deb on a fresh Debian, in namespaces of its own, and lets TestPackagedMachine go the way of a first
# owner: the setup in a browser, the import of a ticket point, a sold ticket, an upgrade while tickets are sold, the removal. It needs root, and
# `make release`. The servers that the package depends on are installed before; what is timed begins with the package.
set -euo pipefail
cd "$(dirname "$0")/.."

[ "$(id -u)" -eq 0 ] || { echo "package-check: needs root, for namespaces and a root directory" >&2; exit 1; }
arch=$(dpkg --print-architecture)
package=$(ls dist/banca_*_"$arch".deb) || { echo "package-check: no package: run make release" >&2; exit 1; }
suite=${SUITE:-bookworm}
command -v mmdebstrap >/dev/null || apt-get install -y -qq --no-install-recommends mmdebstrap
base=.bin/$suite.tar
[ -s "$base" ] || mmdebstrap --quiet --mode=root --variant=apt --include=adduser,postgresql,redis-server "$suite" "$base"

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
tar -xf "$base" -C "$root"
# Only systemd starts services on such a machine, and it does not run here: the test starts the programs as the units do.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
cp "$package" "$root/root/banca.deb"
scripts/next-package.sh "$package" "$root/root/next.deb"
go test -c -trimpath -tags=nomsgpack -vet=off -ldflags=-s -o "$root/root/check" ./test
cat >"$root.sh" <<'END'
set -e
mount -t proc proc "$BANCA_PACKAGE_ROOT/proc"
mount --rbind /dev "$BANCA_PACKAGE_ROOT/dev"
ip link set lo up
cd test
BANCA_TARGETS=packages exec "$BANCA_PACKAGE_ROOT/root/check" -test.v -test.run '^TestPackagedMachine$'
END
trap 'rm -rf "$root" "$root.sh"' EXIT
BANCA_PACKAGE_ROOT=$root CI=true unshare --mount --net --pid --fork --mount-proc --kill-child bash "$root.sh"
