#!/usr/bin/env bash
# Makes sure that the servers of the single-machine stack are installed, and the browser where tests are run, and
# installs the missing ones where that needs no question to be answered (apt-get, as root or with a sudo that asks
# for no password).
#
#   ensure-tools.sh        for `make run`: whatever stays missing is named, and is no failure
#   ensure-tools.sh test   for `make test`: also the browser of its tests and PgBouncer; a failure when CI=true
#   ensure-tools.sh delivery
#                          for `make delivery`: also promtool, Node.js and its packages, versitygw, what checks deploy;
#                          a failure
set -euo pipefail
cd "$(dirname "$0")/.."

purpose=${1:-run}

have_redis() { command -v redis-server >/dev/null || command -v valkey-server >/dev/null; }

have_postgres() {
	command -v postgres >/dev/null && return
	compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null && return
	compgen -G '/usr/pgsql-*/bin/postgres' >/dev/null
}

# The names are those that internal/dev/testkit/browser looks for. The headless shell takes half of the processor time; not
# every distribution has it.
have_shell() { command -v chromium-headless-shell; } >/dev/null

offers_shell() { apt-cache show chromium-headless-shell; } >/dev/null 2>&1

have_browser() { have_shell || command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null

# It checks and tests the alerts.
have_promtool() { command -v promtool >/dev/null; }

# It is put before Postgres by the tests of several machines. Debian keeps it in /usr/sbin.
have_pgbouncer() { command -v pgbouncer || [ -x /usr/sbin/pgbouncer ]; } >/dev/null

# The npm packages that generate clients of the OpenAPI document and check it. They are installed where go leaves them alone.
npm_packages=.bin/openapi
npm_source=test/testdata/openapi

have_node() { command -v node && command -v npm; } >/dev/null

have_packages() { cmp -s "$npm_source/package-lock.json" "$npm_packages/package-lock.json" && [ -e "$npm_packages/node_modules/.package-lock.json" ]; }

install_npm_packages() {
	echo "installing the packages of $npm_source ..." >&2
	rm -rf "$npm_packages" && mkdir -p "$npm_packages" || return
	cp "$npm_source"/{package.json,package-lock.json,.npmrc} "$npm_packages" || return
	npm ci --prefix "$npm_packages" --ignore-scripts --no-audit --no-fund --loglevel=error >&2
}

# The object store of deploy/compose/docker-compose.yml, which a test of its users starts. Its cloud SDKs stay out of go.mod.
versitygw=1.8.0

have_versitygw() { go version -m .bin/versitygw 2>/dev/null | grep -qE "versitygw[[:space:]]+v${versitygw//./\\.}([[:space:]]|$)"; }

# They check the compose files and deploy/kubernetes. Later versions of the first one read no variables of the environment.
compose_spec=2.1.0
kubeconform=0.8.0

have_compose_spec() { go version -m .bin/compose-spec 2>/dev/null | grep -qE "compose-go/v2[[:space:]]+v${compose_spec//./\\.}([[:space:]]|$)"; }

have_kubeconform() { go version -m .bin/kubeconform 2>/dev/null | grep -qE "kubeconform[[:space:]]+v${kubeconform//./\\.}([[:space:]]|$)"; }

# The program of compose-go is called cmd.
install_compose_spec() {
	GOBIN="$PWD/.bin/compose" go install "github.com/compose-spec/compose-go/v2/cmd@v$compose_spec" && mv .bin/compose/cmd .bin/compose-spec
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

can_install() {
	command -v apt-get >/dev/null && as_root true 2>/dev/null
}

# Only the programs are wanted: no service of the distribution is started (policy-rc.d), now or at the next
# boot (disable), and no cluster is made (createcluster.conf). Both files are put there for the installation
# only, and one that exists already is left alone.
install_packages() {
	local policy=/usr/sbin/policy-rc.d cluster=/etc/postgresql-common/createcluster.conf made=() status=0
	if [ ! -e "$policy" ]; then
		printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
		as_root chmod 755 "$policy"
		made+=("$policy")
	fi
	if [ ! -e "$cluster" ]; then
		as_root mkdir -p "${cluster%/*}"
		echo 'create_main_cluster = false' | as_root tee "$cluster" >/dev/null
		made+=("$cluster")
	fi
	if [ ${#made[@]} -gt 0 ]; then
		# shellcheck disable=SC2064 # the names are wanted as they are now
		trap "as_root rm -f ${made[*]}" EXIT
	fi
	{ as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-confold "$@"; } || status=$?
	if command -v systemctl >/dev/null; then
		as_root systemctl disable --quiet "$@" 2>/dev/null || true # not running at all in a container
	fi
	return "$status"
}

install_missing() {
	if [ $# -eq 0 ] || ! can_install; then
		return 0
	fi
	echo "installing $* ..." >&2
	install_packages "$@" >&2 || echo "installing $* failed" >&2
}

missing=()
have_redis || missing+=(redis-server)
have_postgres || missing+=(postgresql)
install_missing "${missing[@]}"
if [ "$purpose" != run ] && ! have_shell && { offers_shell || ! have_browser; }; then
	install_missing chromium-headless-shell
fi
if [ "$purpose" != run ] && ! have_browser; then
	install_missing chromium # on its own: where there is no such package, the servers are installed all the same
fi
if [ "$purpose" = delivery ] && ! have_promtool; then
	install_missing prometheus
fi
if [ "$purpose" != run ] && ! have_pgbouncer; then
	install_missing pgbouncer
fi
if [ "$purpose" = delivery ] && ! command -v node >/dev/null; then
	install_missing nodejs
fi
if [ "$purpose" = delivery ] && ! command -v npm >/dev/null; then
	install_missing npm # on its own: some packages of nodejs bring it
fi
if [ "$purpose" = delivery ] && have_node && ! have_packages; then
	install_npm_packages || echo "installing the packages of $npm_source failed" >&2
fi
if [ "$purpose" = delivery ] && ! have_versitygw; then
	echo "building versitygw $versitygw ..." >&2
	GOBIN="$PWD/.bin" go install "github.com/versity/versitygw/cmd/versitygw@v$versitygw" || echo "building versitygw failed" >&2
fi

if [ "$purpose" = delivery ] && ! have_compose_spec; then
	echo "building compose-spec $compose_spec ..." >&2
	install_compose_spec || echo "building compose-spec failed" >&2
fi
if [ "$purpose" = delivery ] && ! have_kubeconform; then
	echo "building kubeconform $kubeconform ..." >&2
	GOBIN="$PWD/.bin" go install "github.com/yannh/kubeconform/cmd/kubeconform@v$kubeconform" || echo "building kubeconform failed" >&2
fi

failed=0
if ! have_postgres; then
	failed=1
	echo "no PostgreSQL server (apt-get install postgresql): banca needs DATABASE_URL," \
		"and tests of the database are skipped" >&2
fi
if ! have_redis; then
	failed=1
	echo "no Redis server (apt-get install redis-server): banca uses a stand-in that forgets its queues" \
		"when it stops, and tests of Redis are skipped" >&2
fi
if [ "$purpose" != run ] && ! have_browser; then
	failed=1
	echo "no Chromium (apt-get install chromium-headless-shell, or chromium): tests in a browser are skipped" >&2
fi
if [ "$purpose" = delivery ] && ! { have_node && have_packages; }; then
	failed=1
	echo "no Node.js (apt-get install nodejs npm) or no packages from its registry" >&2
fi
if [ "$purpose" = delivery ] && ! have_promtool; then
	failed=1
	echo "no promtool (apt-get install prometheus)" >&2
fi
if [ "$purpose" != run ] && ! have_pgbouncer; then
	failed=1
	echo "no PgBouncer (apt-get install pgbouncer): the tests behind a pooler are skipped" >&2
fi
if [ "$purpose" = delivery ] && ! have_versitygw; then
	failed=1
	echo "no versitygw $versitygw" >&2
fi
if [ "$purpose" = delivery ] && ! { have_compose_spec && have_kubeconform; }; then
	failed=1
	echo "no compose-spec $compose_spec or kubeconform $kubeconform" >&2
fi
if [ "$failed" -eq 1 ] && { [ "$purpose" = delivery ] || { [ "$purpose" = test ] && [ "${CI:-}" = true ]; }; }; then
	exit 1
fi
