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

. "$(dirname "$0")/../debian.sh"

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
	run "$@"
	;;
tidy)
	cat >/dev/null
	sleep 1 # until those that write to it are killed
	rm -rf "$2"
	;;
*) sed -n '2,/^set/s/^#[ ]\{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
