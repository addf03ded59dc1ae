#!/bin/sh
# Records the profiles README.md looks at, and prints the rates of its table. All
# versions of the service take turns, profiled by the agent, and a server of
# their own adds up what the agents sent. It takes minutes.
set -e
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
go build -C ../.. -o "$tmp/hone" ./cmd/hone
go build -trimpath -o "$tmp/shakespeare" .
export HONE_SERVER=http://127.0.0.1:4699
"$tmp/hone" serve -listen 127.0.0.1:4699 -data "$tmp/data" 2>"$tmp/serve.log" &
trap 'kill $!; wait $!; rm -r "$tmp"' EXIT
trap 'exit 1' INT TERM
until "$tmp/hone" query -labels '{}' >/dev/null 2>&1; do sleep 0.1; done

run() { # version rounds
	"$tmp/shakespeare" -version "$1" -rounds "$2" -hone $HONE_SERVER -period 1s >>"$tmp/rounds.$1"
}
for turn in 1 2 3; do
	run 1 1
	run 2 4
	run 3 80
	run 4 400
done
save() { # kind version: the sum, of the heap the mean, without the agent itself
	case $1 in heap) per=profile ;; *) per=sum ;; esac
	"$tmp/hone" query -per $per -ignore hone/agent -proto -o "testdata/v$2.$1.pb.gz" "$1{version=\"$2\"}" 2>/dev/null
}
for version in 1 2 3 4; do
	for kind in cpu allocs heap; do save $kind $version; done
	sed 's/.*, \(.*\) a second/\1/' "$tmp/rounds.$version" | sort -n |
		awk -v v=$version '{ rate[NR] = $1 } END { printf "version %d: %d requests, median %.2f a second\n", v, 20 * NR, rate[int((NR + 1) / 2)] }'
done
