#!/bin/sh
# Prometheus's Alertmanager for tests, on the loopback interface alone.
#
#	alertmanager.sh install          installs Debian's prometheus-alertmanager if it is missing
#	alertmanager.sh run DIR ADDRESS  runs it with the configuration DIR/alertmanager.yml; it is killed (with -9)
#	                                 when the standard input ends: it doesn't outlive who started it
#
# The package is installed where CI=true and apt-get may do it, and its service is not
# started. Exit code 3 says that it is missing.
set -eu

missing() {
	echo "$1" >&2
	exit 3
}

# Others may be installing something: apt-get doesn't wait for the lists.
install() {
	command -v prometheus-alertmanager >/dev/null && return
	if [ "${CI:-}" != true ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		missing "prometheus-alertmanager is missing; apt-get install --no-install-recommends prometheus-alertmanager"
	fi
	policy=/usr/sbin/policy-rc.d # which says that no service is to be started
	if [ ! -e $policy ]; then
		printf '#!/bin/sh\nexit 101\n' >$policy
		chmod +x $policy
		trap 'rm -f $policy' EXIT
	fi
	for try in 1 2 3 4 5 6; do
		{ apt-get -o Acquire::Retries=3 update -q && DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 install -q -y \
			--no-install-recommends prometheus-alertmanager; } >&2 && return
		sleep 5
	done
	exit 1
}

case ${1:-} in
install) install ;;
run)
	exec 3<&0
	(cat <&3 >/dev/null && kill -9 $$ 2>/dev/null) &
	exec 3<&-
	exec prometheus-alertmanager --config.file="$2/alertmanager.yml" --storage.path="$2/data" --web.listen-address="$3" --cluster.listen-address=
	;;
*) sed -n '2,/^set/s/^#[ ]\{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
