#!/bin/sh
# The inspector of the Model Context Protocol for tests, as a client on the command line.
#
#	inspector.sh install        installs the version that package-lock.json names, into out/inspector
#	inspector.sh run ARGS...    runs it: see mcp-inspector --cli --help
#
# npm installs it from the network the first time. No script of a package runs. Exit code 3 says that it can't be had.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$here/../../out/inspector

missing() {
	echo "$1" >&2
	exit 3
}

case ${1:-} in
install)
	command -v npm >/dev/null || missing "npm is missing"
	mkdir -p "$dir"
	cmp -s "$here/package-lock.json" "$dir/installed.json" && exit
	cp "$here/package.json" "$here/package-lock.json" "$dir"
	# npm ci refuses the file where a registry lacks an optional package for another system.
	(cd "$dir" && npm install --no-save --no-audit --no-fund --ignore-scripts --loglevel=error) >&2 || missing "npm install fails"
	cp "$here/package-lock.json" "$dir/installed.json"
	;;
run)
	shift
	export MCP_INSPECTOR_SECRET_STORE=memory NODE_OPTIONS="--require \"$here/patience.cjs\""
	exec "$dir/node_modules/.bin/mcp-inspector" --cli "$@"
	;;
*) missing "usage: inspector.sh install | run ARGS..." ;;
esac
