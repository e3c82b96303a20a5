#!/bin/sh
# Makes the role of scripts/backup.sh, once, when the database is made. It may copy the whole cluster and write nothing.
set -eu
psql -v ON_ERROR_STOP=1 -d "$POSTGRES_DB" -v password="${POSTGRES_BACKUP_PASSWORD:?}" <<'SQL'
CREATE ROLE banca_backup LOGIN REPLICATION NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
GRANT CONNECT ON DATABASE :"DBNAME" TO banca_backup;
GRANT pg_monitor TO banca_backup;
SQL
# The image's file lets users in by password, but for replication from this machine only.
echo 'host replication banca_backup all scram-sha-256' >>"$PGDATA/pg_hba.conf"
