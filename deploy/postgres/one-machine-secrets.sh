#!/bin/bash
# Makes the secrets of docker-compose.yml once, for Postgres and for banca, and gives banca (user 10001 of its image) its directories.
set -eu
umask 077

if [ ! -s /secrets/banca ]; then
	for name in postgres banca; do
		head -c 32 /dev/urandom | base64 -w 0 | tr -d '+/=' >"/secrets/$name.new"
	done
	mv /secrets/postgres.new /secrets/postgres
	mv /secrets/banca.new /secrets/banca
fi
printf 'postgres:5432:banca:banca:%s\n' "$(cat /secrets/banca)" >/secrets/pgpass
chmod 755 /secrets
chown 10001:10001 /secrets/pgpass /config /data
chown postgres:postgres /secrets/postgres /secrets/banca
chmod 700 /config /data
