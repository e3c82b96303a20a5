#!/usr/bin/env bash
# Makes sure that the servers of the single-machine stack are installed, and installs the missing ones where
# that needs no question to be answered (apt-get, as root or with sudo that asks for no password).
#
#   ensure-tools.sh        for `make run`: whatever stays missing is named, and is no failure
#   ensure-tools.sh test   for `make test`: the same, but a failure when CI=true
set -euo pipefail

purpose=${1:-run}

have_redis() { command -v redis-server >/dev/null || command -v valkey-server >/dev/null; }

have_postgres() {
	command -v postgres >/dev/null && return
	compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null && return
	compgen -G '/usr/pgsql-*/bin/postgres' >/dev/null
}

missing=()
have_redis || missing+=(redis-server)
have_postgres || missing+=(postgresql)
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	as_root=(sudo -n)
fi

can_install() {
	command -v apt-get >/dev/null || return 1
	[ "$(id -u)" -eq 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }
}

# RUNLEVEL=1 keeps the packages from starting their own services, and create_main_cluster=false the Postgres
# package from making a cluster: only the programs are wanted. Settings that exist already are left alone.
install_packages() {
	local conf=/etc/postgresql-common/createcluster.conf made_conf=no
	if [ ! -e "$conf" ] && [[ " $* " == *" postgresql "* ]]; then
		"${as_root[@]}" mkdir -p /etc/postgresql-common
		echo 'create_main_cluster = false' | "${as_root[@]}" tee "$conf" >/dev/null
		made_conf=yes
	fi
	"${as_root[@]}" apt-get update -qq &&
		"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
			apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-confold "$@"
	local status=$?
	[ "$made_conf" = no ] || "${as_root[@]}" rm -f "$conf"
	return $status
}

if can_install; then
	echo "installing ${missing[*]} ..." >&2
	install_packages "${missing[@]}" >&2 || echo "the installation failed" >&2
fi

failed=0
if ! have_postgres; then
	failed=1
	echo "PostgreSQL server missing (apt-get install postgresql): only what needs no database runs;" \
		"set DATABASE_URL to use one elsewhere" >&2
fi
if ! have_redis; then
	failed=1
	echo "Redis server missing (apt-get install redis-server): an in-memory stand-in runs, which forgets" \
		"queues when it stops; tests that need Redis are skipped" >&2
fi
if [ "$failed" -eq 1 ] && [ "$purpose" = test ] && [ "${CI:-}" = true ]; then
	exit 1
fi
