#!/usr/bin/env bash
# Backups of Postgres to BACKUP_DIR, from which scripts/restore.sh restores any instant (docs/adr/0020). The libpq variables (PGHOST,
# PGUSER, PGPASSWORD ...) or BACKUP_URL name the server and a role with REPLICATION.
#
#   backup.sh wal     receive the log until stopped: run it as a service, always. Its slot keeps the server's log while it is away
#   backup.sh base    copy the whole database and verify the copy: run it every day
#   backup.sh prune   keep the last BACKUP_KEEP (7) copies, and the log from the oldest of them on
#   backup.sh check   fail if the last copy is older than BACKUP_MAX_AGE (26) hours, or the log is not being received
set -euo pipefail

dir=${BACKUP_DIR:?} slot=${BACKUP_SLOT:-banca_backup}
url=${BACKUP_URL:-dbname=postgres}
PATH=$PATH:$(compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -n 1) # where Debian has pg_verifybackup
umask 077
mkdir -p "$dir/base" "$dir/wal"

bases() { find "$dir/base" -mindepth 1 -maxdepth 1 -type d -name '????????T??????Z' | sort; }

case ${1:-} in
wal)
	pg_receivewal -d "$url" --slot "$slot" --create-slot --if-not-exists
	exec pg_receivewal -d "$url" --slot "$slot" --directory "$dir/wal" --synchronous --no-password
	;;
base)
	partial=$dir/base/partial.$$
	trap 'rm -rf "$partial"' EXIT
	pg_basebackup -d "$url" --pgdata "$partial" --wal-method stream --checkpoint fast --no-password
	target=$dir/base/$(date -u +%Y%m%dT%H%M%SZ) # its end: any later instant can be restored from it
	pg_verifybackup --quiet "$partial"
	mv "$partial" "$target"
	echo "$target"
	;;
prune)
	bases | head -n -"${BACKUP_KEEP:-7}" | while read -r old; do rm -rf "$old"; done
	oldest=$(bases | head -n 1)
	[ -n "$oldest" ] || exit 0
	first=$(sed -nE 's/^START WAL LOCATION: .* \(file ([0-9A-F]{24})\)$/\1/p' "$oldest/backup_label")
	pg_archivecleanup "$dir/wal" "${first:?}"
	;;
check)
	[ -n "$(find "$dir/base" -mindepth 1 -maxdepth 1 -type d -name '????????T??????Z' -mmin "-$((${BACKUP_MAX_AGE:-26} * 60))")" ] ||
		{ echo "backup: no copy of the last ${BACKUP_MAX_AGE:-26} hours" >&2; exit 1; }
	[ "$(psql -XAt "$url" -c "SELECT active FROM pg_replication_slots WHERE slot_name = '$slot'")" = t ] ||
		{ echo "backup: the log is not received (slot $slot)" >&2; exit 1; }
	;;
*)
	sed -n '2,10p' "$0" >&2
	exit 2
	;;
esac
