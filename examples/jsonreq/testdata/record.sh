#!/bin/sh
# Records the profiles README.md looks at: one kind and one benchmark each, the
# same number of batches in all.
set -e
cd "$(dirname "$0")/.."
bin=$(mktemp -d)
trap 'rm -r "$bin"' EXIT
record() { # step kind
	go test -trimpath -o "$bin/jsonreq.test" -run '^$' -bench "^BenchmarkProcess\$/^$1\$" -benchtime 20000x \
		"-${2}profile" "$bin/profile" .
	mv "$bin/profile" "testdata/$1.$2.pb.gz"
}
record reflection cpu
record generated cpu
record generated mem
record builder mem
record pooled cpu
record pooled mem
