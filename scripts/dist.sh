#!/usr/bin/env bash
# Builds what is published of a release into dist/: archives of banca, Debian packages and OCI archives for linux on amd64 and arm64, the bill
# of materials, the licences of all modules, and SHA256SUMS. Two builds of one commit are the same bytes: names, times, owners and order in
# the archives are fixed, and nothing of this machine is in them.
set -euo pipefail
cd "$(dirname "$0")/.."

nfpm_version=2.45.2
nfpm=./.bin/nfpm
architectures=${ARCHITECTURES:-amd64 arm64}

if ! go version -m "$nfpm" 2>/dev/null | grep -qE "nfpm/v2[[:space:]]+v${nfpm_version//./\\.}([[:space:]]|$)"; then
	echo "building nfpm $nfpm_version ..." >&2
	GOBIN="$PWD/.bin" go install "github.com/goreleaser/nfpm/v2/cmd/nfpm@v$nfpm_version"
fi

commit=$(git describe --always --dirty --exclude='*' | tr - .)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf dist && mkdir dist

# archive writes a tar of what is in the directory $1. Everybody may write temporary files.
archive() {
	chmod -R u=rwX,go=rX "$1"
	if [ -d "$1/tmp" ]; then chmod 1777 "$1/tmp"; fi
	tar --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$1" -cf - .
}

scripts/licences.sh "$work/licences"
for arch in $architectures; do
	echo "== linux/$arch"
	program=$work/$arch/banca
	CGO_ENABLED=0 GOOS=linux GOARCH=$arch go build -trimpath -tags=nomsgpack -buildvcs=false -ldflags "-s -w -buildid= -X main.commit=$commit" -o "$program" ./cmd/banca
	if [ -z "${version:-}" ]; then
		version=$(go run -trimpath -tags=nomsgpack -ldflags "-X main.commit=$commit" ./cmd/banca version)
	fi
	name=banca_${version%%+*}_linux_$arch
	mkdir -p "$work/$name"
	cp -r "$program" "$work/licences" .env.example CHANGELOG.md README.md deploy/systemd "$work/$name/"
	archive "$work/$name" | gzip -9 -n >"dist/$name.tar.gz"
	ARCH=$arch VERSION=${version%%+*} PROGRAM=$program LICENCES=$work/licences \
		"$nfpm" package --config deploy/debian/nfpm.yaml --packager deb --target dist/
	mkdir -p "$work/image-$arch/usr/bin" "$work/image-$arch/usr/share/licenses" "$work/image-$arch/tmp"
	cp "$program" "$work/image-$arch/usr/bin/banca"
	cp -r "$work/licences" "$work/image-$arch/usr/share/licenses/banca"
	archive "$work/image-$arch" | scripts/oci.sh "$arch" "${version%%+*}" >"dist/banca_${version%%+*}_oci_$arch.tar"
done
scripts/sbom.sh
cp .bin/banca.cdx.json dist/
archive "$work/licences" | gzip -9 -n >dist/licences.tar.gz
(cd dist && sha256sum -- * >SHA256SUMS)
ls -l dist
