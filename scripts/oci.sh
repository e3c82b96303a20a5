#!/usr/bin/env bash
# Reads the tar of a root directory and writes an OCI archive (image-spec 1.1) of one layer, which `docker load`, `podman load` and `skopeo`
# read without a registry. Usage: oci.sh ARCHITECTURE VERSION. SOURCE_DATE_EPOCH is the time in it.
set -euo pipefail

arch=$1 version=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/blobs/sha256"

digest() { sha256sum "$1" | cut -d' ' -f1; }

# store names a file by its hash and prints its descriptor.
store() {
	local sum
	sum=$(digest "$1")
	printf '{"mediaType":"%s","digest":"sha256:%s","size":%d}' "$2" "$sum" "$(stat -c %s "$1")"
	mv "$1" "$work/blobs/sha256/$sum"
}

cat >"$work/layer"
diff=$(digest "$work/layer")
gzip -9 -n "$work/layer"
layer=$(store "$work/layer.gz" application/vnd.oci.image.layer.v1.tar+gzip)
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)
cat >"$work/config" <<END
{"created":"$created","architecture":"$arch","os":"linux","config":{"User":"10001:10001","ExposedPorts":{"8080/tcp":{}},
"Env":["PATH=/usr/bin","HTTP_ADDR=0.0.0.0:8080"],"Entrypoint":["/usr/bin/banca"],"Cmd":["api"],"StopSignal":"SIGTERM",
"Labels":{"org.opencontainers.image.title":"banca","org.opencontainers.image.version":"$version"}},
"rootfs":{"type":"layers","diff_ids":["sha256:$diff"]},"history":[{"created":"$created","created_by":"scripts/oci.sh"}]}
END
config=$(store "$work/config" application/vnd.oci.image.config.v1+json)
printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":%s,"layers":[%s]}' "$config" "$layer" >"$work/manifest"
manifest=$(store "$work/manifest" application/vnd.oci.image.manifest.v1+json)
printf '{"imageLayoutVersion":"1.0.0"}' >"$work/oci-layout"
printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[%s]}' \
	"${manifest%\}},\"platform\":{\"architecture\":\"$arch\",\"os\":\"linux\"},\"annotations\":{\"org.opencontainers.image.ref.name\":\"$version\",\"io.containerd.image.name\":\"banca:$version\"}}" \
	>"$work/index.json"
tar --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -C "$work" -cf - oci-layout index.json blobs
