#!/usr/bin/env bash
# Backups of Postgres to BACKUP_DIR, from which scripts/restore.sh restores any instant (docs/adr/0020). The libpq variables (PGHOST,
# PGUSER, PGPASSWORD ...) or BACKUP_URL name the server and a role with REPLICATION.
#
#   backup.sh wal     receive the log until the server ends: run it as a service that is always restarted. Its slot keeps the log while it is away
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

# After a restore to an instant the server has left the received log before its end, from where pg_receivewal would ask for more forever. That log
# is put aside for the copies of before, and restore.sh finds it there.
put_aside() {
	local newest start timeline size fork
	newest=$(find "$dir/wal" -maxdepth 1 -type f -printf '%f\n' | sed -nE 's/^([0-9A-F]{8})([0-9A-F]{16})(\.partial)?$/\2\1 &/p' | sort | sed -nE '$s/.* //p')
	[ -n "$newest" ] || return 0
	timeline=$(psql -XAt "$url" -c 'SELECT substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) WHERE NOT pg_is_in_recovery()')
	[ -n "$timeline" ] && [ "$timeline" != "${newest:0:8}" ] || return 0
	size=$(psql -XAt "$url" -c "SELECT pg_size_bytes(current_setting('wal_segment_size'))")
	start=$(((16#${newest:8:8} << 32) + 16#${newest:16:8} * size))
	[[ $newest == *.partial ]] || start=$((start + size))
	case $url in *://*\?*) replication="$url&replication=true" ;; *://*) replication="$url?replication=true" ;; *) replication="$url replication=true" ;; esac
	fork=$(psql -XAt "$replication" -c "TIMELINE_HISTORY $((16#$timeline))" | sed 's/^.*|//' | awk -v of="$((16#${newest:0:8}))" '$1 == of {print $2}')
	if [ -z "$fork" ] || [ "$start" -gt $(((16#${fork%/*} << 32) + 16#${fork#*/})) ]; then
		mv "$dir/wal" "$dir/wal-$(date -u +%Y%m%dT%H%M%SZ)"
		mkdir "$dir/wal"
		echo "backup: the server was restored to an instant before $newest: the log until then is put aside; make a new copy" >&2
	fi
}

case ${1:-} in
wal)
	pg_receivewal -d "$url" --slot "$slot" --create-slot --if-not-exists
	put_aside
	exec pg_receivewal -d "$url" --slot "$slot" --directory "$dir/wal" --synchronous --no-loop --no-password
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
	[ "${BACKUP_KEEP:-7}" -ge 1 ] || { echo "backup: BACKUP_KEEP is less than 1" >&2; exit 1; }
	find "$dir/base" -mindepth 1 -maxdepth 1 -name 'partial.*' -mtime +1 -exec rm -rf {} + # of copies that were killed
	bases | head -n -"${BACKUP_KEEP:-7}" | while read -r old; do rm -rf "$old"; done
	oldest=$(bases | head -n 1)
	[ -n "$oldest" ] || exit 0
	first=$(sed -nE 's/^START WAL LOCATION: .* \(file ([0-9A-F]{24})\)$/\1/p' "$oldest/backup_label")
	pg_archivecleanup "$dir/wal" "${first:?}"
	for aside in "$dir"/wal-*; do
		[[ ! -d $aside || ${aside##*/wal-} > ${oldest##*/} ]] || rm -rf "$aside"
	done
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
