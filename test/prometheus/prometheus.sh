#!/bin/sh
# Prometheus for tests.
#
#	prometheus.sh install           installs Debian's prometheus, with promtool, if it is missing
#	prometheus.sh run COMMAND...    runs a command, which is killed (with -9) when the standard input ends: it
#	                                does not outlive who started it
#
# The package is installed where CI=true and apt-get may do it, and its service is not started. Exit code 3 says that
# it is missing.
set -eu

. "$(dirname "$0")/../debian.sh"

case ${1:-} in
install) command -v prometheus >/dev/null && command -v promtool >/dev/null || install prometheus ;;
run)
	shift
	run "$@"
	;;
*) sed -n '2,/^set/s/^#[ ]\{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
