#!/bin/sh
# Records the profiles README.md looks at: one kind and one benchmark each, the
# same number of requests for each kind.
set -e
cd "$(dirname "$0")/.."
bin=$(mktemp -d)
trap 'rm -r "$bin"' EXIT
record() { # benchmark step requests kind file
	go test -trimpath -o "$bin/visitors.test" -run '^$' -bench "^Benchmark$1\$/^$2\$" -benchtime "$3" \
		"-${4}profile" "$bin/profile" .
	mv "$bin/profile" "testdata/$5.$4.pb.gz"
}
record Greet compile 3000000x cpu compile
record Greet compiled 1000000x mem compiled
record Greet noheader 1000000x mem noheader
record Greet pooled 3000000x cpu pooled
record Greet scanned 3000000x cpu scanned
record GreetParallel scanned 3000000x block parallel
