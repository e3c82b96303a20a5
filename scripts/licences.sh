#!/bin/sh
# Copies the licences and notices of all modules of ./cmd/banca below the directory $1.
set -eu
target=$1
cd "$(dirname "$0")/.."
go list -deps -tags nomsgpack -f '{{with .Module}}{{if .Version}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./cmd/banca | sort -u | while read -r module dir; do
	mkdir -p "$target/$module"
	find "$dir" -maxdepth 1 -type f \( -iname 'licen[sc]e*' -o -iname 'copying*' -o -iname 'notice*' \) -exec cp {} "$target/$module/" \;
done
mkdir -p "$target/go"
cp "$(go env GOROOT)/LICENSE" "$target/go/"
chmod -R a+rX,u+w "$target"
