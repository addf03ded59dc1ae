#!/bin/sh
# Runs a command, unless it passed before with the same inputs.
#
#	{ node --version; } | unchanged.sh NAME PATH... -- COMMAND...
#
# The inputs are the standard input, for versions of tools, the command itself, and the files at the paths.
# In a folder, files that git ignores don't count; a path of a file always does.
# What passed is kept in out/passed. With CI=true the command always runs.
set -eu
name=$1
shift
paths=
while [ "$1" != -- ]; do
	paths="$paths $1"
	shift
done
shift

# A file that is gone is part of the sum too, by the complaint about it.
sum() {
	cat
	echo "$@"
	for path in $paths; do
		if [ -f "$path" ]; then
			sha256sum "$path"
		else
			git ls-files -z --cached --others --exclude-standard -- "$path" | LC_ALL=C sort -zu | xargs -0 sha256sum 2>&1 || true
		fi
	done
}
now=$(sum "$@" | sha256sum)
passed=${OUT:-out}/passed/$name
if [ "${CI:-}" = true ] || ! git rev-parse --git-dir >/dev/null 2>&1; then
	exec "$@" </dev/null
fi
if [ "$(cat "$passed" 2>/dev/null)" = "$now" ]; then
	echo "== $name: NOT RUN, since it passed and nothing that it reads changed (rm $passed to run it)"
	exit
fi
rm -f "$passed"
"$@" </dev/null
mkdir -p "$(dirname "$passed")"
echo "$now" >"$passed"
