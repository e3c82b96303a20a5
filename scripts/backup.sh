#!/usr/bin/env bash
# Backups of Postgres to BACKUP_DIR, from which scripts/restore.sh restores any instant (docs/adr/0020). The libpq variables (PGHOST,
# PGUSER, PGPASSWORD ...) or BACKUP_URL name the server and a role with REPLICATION.
#
#   backup.sh wal     receive the log until the server ends: run it as a service that is always restarted. Its slot keeps the log while it is away
#   backup.sh base    copy the whole database and verify the copy: run it every day
#   backup.sh prune   keep the last BACKUP_KEEP (7) copies, and the log from the oldest of them on
#   backup.sh walk    print until when the log was received, or fail with the first segment that is missing after the newest copy
#   backup.sh check   fail if the last copy is older than BACKUP_MAX_AGE (26) hours, the log is not being received, or walk fails
#   backup.sh daily   base, prune and check each day at BACKUP_AT (04:30, UTC), where no timer calls them; a start makes up for a copy that is due
set -euo pipefail

dir=${BACKUP_DIR:?} slot=${BACKUP_SLOT:-banca_backup}
url=${BACKUP_URL:-dbname=postgres}
for bin in /usr/libexec/postgresql* /usr/pgsql-*/bin /usr/lib/postgresql/*/bin; do # where distributions have pg_verifybackup
	[ ! -d "$bin" ] || PATH=$PATH:$bin
done
umask 077
mkdir -p "$dir/base" "$dir/wal"

bases() { find "$dir/base" -mindepth 1 -maxdepth 1 -type d -name '????????T??????Z' | sort; }

# due tells whether there is no copy since the last BACKUP_AT. A copy at every start would fill BACKUP_KEEP with copies of one evening.
due() {
	local at newest
	at=$(date -u -d "${BACKUP_AT:-04:30}" +%s) || exit 1
	[ "$at" -le "$(date -u +%s)" ] || at=$((at - 86400))
	newest=$(bases | tail -n 1)
	[[ ${newest##*/} < $(date -u -d "@$at" +%Y%m%dT%H%M%SZ) ]]
}

# walk <copy> requires every segment of the log from the beginning of a copy to the newest one, on the time lines that lead to the newest. A restore
# takes a segment that is missing in between for the end of the log. It prints until when the log was received.
walk() {
	local start size per name t n newest=0 end=-1 at line
	local -A whole=()
	local -a parents=() forks=()
	start=$(sed -nE 's/^START WAL LOCATION: .* \(file ([0-9A-F]{24})\)$/\1/p' "$1/backup_label")
	size=$(find "$dir"/wal* -maxdepth 1 -type f -regextype posix-extended -regex '.*/[0-9A-F]{24}(\.partial)?' -printf '%s\n' | sort -n | tail -n 1)
	per=$((4294967296 / ${size:-16777216}))
	while read -r name; do
		t=$((16#${name:0:8})) n=$((16#${name:8:8} * per + 16#${name:16:8}))
		[[ $name == *.partial ]] || whole[$t.$n]=1
		[ "$t" -le "$newest" ] || newest=$t end=-1
		[ "$t" -lt "$newest" ] || [ "$n" -le "$end" ] || end=$n at=$name
	done < <(find "$dir"/wal* -maxdepth 1 -type f -regextype posix-extended -regex '.*/[0-9A-F]{24}(\.partial)?' -printf '%f\n')
	while read -r t line _; do # of the history: each time line before, and where the next one left it
		[[ $t =~ ^[0-9]+$ ]] || continue
		parents+=("$t") forks+=($(((16#${line%/*} << 32 | 16#${line#*/}) / ${size:-16777216})))
	done < <(cat "$dir"/wal*/"$(printf %08X "$newest")".history 2>/dev/null | sort -un)
	n=$((16#${start:8:8} * per + 16#${start:16:8}))
	[ "$end" -ge "$n" ] || { echo "backup: the log has nothing after ${1##*/}: $start is missing" >&2; return 1; }
	for (( ; n <= end; n++)); do
		t=$newest
		for ((line = ${#parents[@]} - 1; line >= 0; line--)); do # the segment of a fork is of the later time line
			[ "$n" -ge "${forks[line]}" ] || t=${parents[line]}
		done
		[ -n "${whole[$t.$n]:-}" ] || [ "$n" -eq "$end" ] ||
			{ printf 'backup: %08X%08X%08X is missing in the log: a restore of %s would end before it\n' "$t" $((n / per)) $((n % per)) "${1##*/}" >&2; return 1; }
	done
	echo "the log after ${1##*/} is whole; it was received until $(find "$dir"/wal* -maxdepth 1 -name "$at" -printf '%TY-%Tm-%Td %TH:%TM:%.2TS %TZ\n' | sort | tail -n 1)"
}

newest_copy() {
	local newest
	newest=${BACKUP_BASE:-$(bases | tail -n 1)}
	echo "${newest:?there is no copy in $dir/base}"
}

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
	walk "$(newest_copy)"
	if [ -n "${BACKUP_METRICS:-}" ]; then # for the textfile collector of node_exporter
		echo "backup_checked_timestamp_seconds $(date +%s)" >"$BACKUP_METRICS/backup.prom.new"
		chmod 644 "$BACKUP_METRICS/backup.prom.new"
		mv "$BACKUP_METRICS/backup.prom.new" "$BACKUP_METRICS/backup.prom"
	fi
	;;
walk)
	walk "$(newest_copy)"
	;;
daily)
	while true; do
		steps=(prune check)
		! due || steps=(base "${steps[@]}")
		for step in "${steps[@]}"; do "$BASH" "$0" "$step" || echo "backup: $step failed" >&2; done
		sleep $((($(date -u -d "${BACKUP_AT:-04:30}" +%s) - $(date -u +%s) + 86399) % 86400 + 1))
	done
	;;
*)
	sed -n '2,12p' "$0" >&2
	exit 2
	;;
esac
