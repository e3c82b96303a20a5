#!/usr/bin/env bash
# Restores a backup of scripts/backup.sh into an empty directory, which a Postgres of the same major version is then started on:
#
#   BACKUP_DIR=... restore.sh <data directory> ['2026-11-23 14:05:00+00']
#
# With an instant (UTC if it names no zone), the database is as it was then; without one, as of the end of the received log, of which no segment may
# be missing (RESTORE_GAP=yes restores to the first gap). The newest
# copy that ended before the instant is used, or the one that BACKUP_BASE names. The server reads the log from BACKUP_DIR while it starts and then ends the
# recovery by itself: BACKUP_DIR must be readable by its account. PG_OWNER (user:group) gets the files.
set -euo pipefail

for bin in /usr/libexec/postgresql* /usr/pgsql-*/bin /usr/lib/postgresql/*/bin; do
	[ ! -d "$bin" ] || PATH=$PATH:$bin
done
dir=$(cd "${BACKUP_DIR:?}" && pwd) target=${1:?the data directory} at=${2:-}
fail() { echo "restore: $*" >&2; exit 1; }

[ -z "$at" ] || at=$(date -u -d "$at" '+%Y-%m-%d %H:%M:%S.%6N+00')
[ ! -e "$target" ] || [ -z "$(ls -A "$target")" ] || fail "$target is not empty"
base=${BACKUP_BASE:-}
if [ -z "$base" ]; then
	bound=$(date -u ${at:+-d "$at"} +%Y%m%dT%H%M%SZ)
	for copy in "$dir"/base/????????T??????Z; do
		[ -e "$copy" ] || fail "there is no copy in $dir/base"
		[[ -z $at || ${copy##*/} < $bound ]] && base=$copy
	done
	[ -n "$base" ] || fail "no copy is older than $at"
fi
case $dir in *[\'\\]*) fail "a quote in $dir" ;; esac

pg_verifybackup --quiet "$base"
if [ -n "$at" ] || [ "${RESTORE_GAP:-}" = yes ]; then walked=:; else walked=exit; fi
BACKUP_BASE=$base "$BASH" "$(dirname "$0")/backup.sh" walk || $walked 1
mkdir -p "$target"
cp -a "$base/." "$target/"
{
	# A status above 125 ends the start: a log that cannot be read must not be taken for its end.
	echo "restore_command = 'test -r \"$dir/wal\" -a -x \"$dir/wal\" || exit 126; for f in \"$dir\"/wal*/%f \"$dir\"/wal*/%f.partial; do test ! -e \"\$f\" || { cp \"\$f\" \"%p\" && exit 0; exit 126; }; done; exit 1'"
	echo "recovery_target_timeline = 'latest'"
	echo "recovery_target_time = '$at'" # also an empty one: the copy may be of a server that was restored to an instant
	echo "recovery_target_action = 'promote'"
} >>"$target/postgresql.auto.conf"
touch "$target/recovery.signal"
chmod 700 "$target"
[ -z "${PG_OWNER:-}" ] || chown -R "$PG_OWNER" "$target"
echo "restored ${base##*/} to $target${at:+, to $at}: start Postgres, then banca verify"
