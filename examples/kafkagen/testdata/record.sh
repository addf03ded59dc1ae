#!/bin/bash
# Records the profiles README.md looks at, one kind and one version each, and prints
# the figures of its tables: nanoseconds a message to nowhere, and what a million
# messages took to a broker on this machine, where all versions take turns. It takes
# minutes.
#
#	testdata/record.sh [TURNS]
set -euo pipefail
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
broker=
trap 'test -z "$broker" || kill -9 $broker; rm -r "$tmp"' EXIT

record() { # version kind: a million messages
	go test -trimpath -o "$tmp/kafkagen.test" -run '^$' -bench "^BenchmarkSend\$/^$1\$" -benchtime 1000000x \
		"-${2}profile" "$tmp/profile" . | grep ns/op
	mv "$tmp/profile" "testdata/$1.$2.pb.gz"
}
record marshal cpu
record once cpu
record split mem
record split cpu
record tuned cpu

go build -trimpath -o "$tmp/kafkagen" .
sh ../../test/kafka/broker.sh jars >"$tmp/log" # before the broker, whose process is the one to kill
sh ../../test/kafka/broker.sh run "$tmp/broker" >>"$tmp/log" 2>&1 &
broker=$!
until "$tmp/kafkagen" -n 1 -create 4 >/dev/null 2>&1; do kill -0 $broker; done
"$tmp/kafkagen" >/dev/null # A broker that has just started is slow.
ticks() { awk '{ print $14 + $15 }' /proc/$broker/stat; }
sent() { # arguments: how long a million messages took, and the processor time of client and broker
	local before name=$*
	before=$(ticks)
	TIMEFORMAT='%U %S'
	{ time "$tmp/kafkagen" "$@" >"$tmp/result"; } 2>"$tmp/time"
	sed -n 's/.*"elapsed": "\(.*\)",/\1/p' "$tmp/result" | awk -v name="$name" -v time="$(cat "$tmp/time")" -v ticks=$(($(ticks) - before)) \
		'{ split(time, t); printf "%-45s %-14s client %5.2f s, broker %5.2f s\n", name, $1, t[1] + t[2], ticks / 100 }'
}
for turn in $(seq "${1:-3}"); do
	for version in marshal once split tuned; do sent -version $version; done
	for compression in none snappy zstd; do sent -version tuned -compression $compression; done
	sent -version tuned -acks leader
done
"$tmp/kafkagen" -n 3000000 -cpuprofile testdata/broker.cpu.pb.gz >/dev/null
