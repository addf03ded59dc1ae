#!/bin/sh
# Records the profiles README.md looks at: one kind and one benchmark each, the
# same number of lookups in all. Every allocation is recorded, not one in half
# a megabyte: the program allocates next to nothing else.
set -e
cd "$(dirname "$0")/.."
bin=$(mktemp -d)
trap 'rm -r "$bin"' EXIT
for step in escaping-join join escaping-concat concat; do
	go test -trimpath -o "$bin/strjoin.test" -run '^$' -bench "^BenchmarkFind\$/^$step\$" -benchtime 1000000x \
		-memprofilerate 1 -memprofile "$bin/profile" .
	mv "$bin/profile" "testdata/$step.mem.pb.gz"
	go test -trimpath -o "$bin/strjoin.test" -run '^$' -bench "^BenchmarkFind\$/^$step\$" -benchtime 20000000x \
		-cpuprofile "$bin/profile" .
	mv "$bin/profile" "testdata/$step.cpu.pb.gz"
done
