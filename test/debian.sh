# Debian's programs for tests. Scripts next to this folder source it.

missing() {
	echo "$1" >&2
	exit 3
}

# install PACKAGE... of Debian, where CI=true and apt-get may do it; exits with 3 elsewhere. Services of packages are
# not started. Others may be installing something: apt-get does not wait for the lists.
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

# run COMMAND... replaces the script with the command, which is killed (with -9) when the standard input ends: it
# does not outlive who started it.
run() {
	exec 3<&0
	(cat <&3 >/dev/null && kill -9 $$ 2>/dev/null) &
	exec 3<&-
	exec "$@"
}
