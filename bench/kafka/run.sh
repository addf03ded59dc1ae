#!/bin/bash
# Messages per second, and per CPU-second of the client, of hone's sender and of
# kafka-producer-perf-test with equal settings: one broker, client after client in
# turn. CPU time is that of the whole client, user and system, its start included.
#
#	bench/kafka/run.sh [MESSAGES [ROUNDS]]
set -euo pipefail
cd "$(dirname "$0")/../.."

messages=${1:-3000000}
rounds=${2:-5}
work=$(mktemp -d)
broker=127.0.0.1:9092
trap 'kill -9 "$pid" 2>/dev/null; rm -rf "$work"' EXIT

sh test/kafka/broker.sh jars >/dev/null
sh test/kafka/broker.sh run "$work/broker" >"$work/log" 2>&1 &
pid=$!
CGO_ENABLED=0 go test -c -o "$work/hone" ./internal/load/kafkaload
until (exec 3<>"/dev/tcp/${broker/:/\/}") 2>/dev/null; do kill -0 $pid && sleep .2; done

hone() {
	HONE_KAFKA_BROKER=$broker "$work/hone" -test.run '^$' -test.benchtime "${messages}x" -test.bench "Flood/size=$1\$/batch=$2\$/alone" |
		grep -o '[0-9.]* messages/s'
}

# The payload is a file's, as random ones cost its client more than sending does.
perf() {
	printf '%*s\n' "$1" '' | tr ' ' x >"$work/payload"
	sh test/kafka/broker.sh tool org.apache.kafka.tools.ProducerPerformance --topic flood --num-records "$messages" \
		--payload-file "$work/payload" --throughput -1 --producer-props bootstrap.servers=$broker \
		acks=all enable.idempotence=true linger.ms=5 batch.size="$2" compression.type=none buffer.memory=268435456 |
		tail -n 1 | sed 's/^[^,]*, \([0-9.]*\) records.*/\1 messages\/s/'
}

TIMEFORMAT='%U %S'
printf '%-6s %-9s %-6s %12s %12s\n' size batch client messages/s messages/CPU-s
for round in $(seq "$rounds"); do
	for batch in 16384 1000012; do
		for size in 100 1000; do
			for client in $( ((round % 2)) && echo hone perf || echo perf hone); do
				{ time rate=$($client $size $batch 2>"$work/errors"); } 2>"$work/time" || { cat "$work/errors"; exit 1; }
				awk -v size=$size -v batch=$batch -v client=$client -v rate="${rate%% *}" -v n="$messages" \
					'{ printf "%-6d %-9d %-6s %12.0f %12.0f\n", size, batch, client, rate, n / ($1 + $2) }' "$work/time"
			done
		done
	done
done
