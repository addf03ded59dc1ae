#!/bin/sh
# ClickHouse for tests, on the loopback interface alone.
#
#	engine.sh server           installs Debian's clickhouse-server if it is missing
#	engine.sh cluster          that, and Debian's zookeeper
#	engine.sh today            fetches today's engine, PyPI's chdb, and prints the folder that Python finds it in
#	engine.sh run COMMAND...   runs a command, which is killed (with -9) when the
#	                           standard input ends: it does not outlive who started it
#	engine.sh tidy DIR         removes DIR when the standard input ends
#
# HONE_CLICKHOUSE is where today's engine is kept (~/.cache/hone-clickhouse). Packages
# of Debian are installed where CI=true and apt-get may do it, and their services are
# not started. Exit code 3 says that something is missing.
set -eu

chdb=26.9.0
lz4=4.4.5
cache=${HONE_CLICKHOUSE:-${XDG_CACHE_HOME:-$HOME/.cache}/hone-clickhouse}

missing() {
	echo "$1" >&2
	exit 3
}

# install PACKAGE... of Debian. Others may be installing something: apt-get does not wait for the lists.
install() {
	if [ "${CI:-}" != true ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		missing "missing of: $*; apt-get install --no-install-recommends $*"
	fi
	policy=/usr/sbin/policy-rc.d # which says that no service is to be started
	if [ ! -e $policy ]; then
		printf '#!/bin/sh\nexit 101\n' >$policy
		chmod +x $policy
		trap 'rm -f $policy' EXIT
	fi
	for try in 1 2 3 4 5 6; do
		{ apt-get -o Acquire::Retries=3 update -q && DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 install -q -y \
			--no-install-recommends "$@"; } >&2 && return
		sleep 5
	done
	exit 1
}

server() {
	command -v clickhouse-server >/dev/null || install clickhouse-server
}

# Fetched into a folder of its own that then gets its name, as others may fetch at the same time.
today() {
	home=$cache/chdb-$chdb
	if [ ! -d "$home" ]; then
		command -v python3 >/dev/null && python3 -c 'import ensurepip, venv' 2>/dev/null || install python3-venv
		mkdir -p "$cache"
		new=$(mktemp -d "$cache/new.XXXXXX")
		trap 'rm -rf "$new"' EXIT
		python3 -m venv "$new/venv" >&2
		# What it requires is for data frames.
		"$new/venv/bin/pip" install -q --retries 5 --no-deps --target "$new/chdb" "chdb-core==$chdb" "lz4==$lz4" >&2 ||
			missing "chdb-core $chdb and lz4 $lz4 of PyPI can't be had"
		[ -d "$home" ] || mv "$new/chdb" "$home"
	fi
	echo "$home"
}

case ${1:-} in
server) server ;;
cluster)
	server
	[ -e /usr/share/java/zookeeper.jar ] && command -v java >/dev/null && command -v curl >/dev/null || install zookeeper default-jre-headless curl
	;;
today) today ;;
run)
	shift
	exec 3<&0
	(cat <&3 >/dev/null && kill -9 $$ 2>/dev/null) &
	exec 3<&-
	exec "$@"
	;;
tidy)
	cat >/dev/null
	sleep 1 # until those that write to it are killed
	rm -rf "$2"
	;;
*) sed -n '2,/^set/s/^#[ ]\{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
