#!/bin/sh
# Measures profile stores side by side on the same corpus.
#
#   WORK=<scratch directory> HONE_BIN=<program> PYROSCOPE_BIN=<program> PARCA_BIN=<program> ./run.sh
#
# Everything is written under WORK; servers listen on loopback only.
# Environment (defaults in brackets):
#   TARGETS    targets to run [those of "hone hone-before pyroscope parca parca-nowal" whose program is given]; clickhouse and
#              clickhouse-today are HONE_BIN on ClickHouse, the machine's (clickhouse-server) and PyPI's
#   QUERIED    targets whose push and queries are measured in full [TARGETS without parca-nowal, whose blocks are those of parca]
#   PHASES     [capture gen push serial paced query crash floor report]; growth is one more, of hone alone; GROWN is another target of growth
#   SEED SERVICES INSTANCES STEPS STEP   seed and shape of the corpus [1 5 4 240 15s]
#   BASE       captured profiles; captured anew where the directory is missing [WORK/base]
#   CAPTURE    length of each captured CPU profile [25s]
#   CONC       profiles under way at a time, for targets without CONC_<target> [64]
#   RUNS COLD  warm runs of each query, cold runs of each query [12 2]
#   RATE       profiles per second of the paced push [50]
#   LOAD       length of the loads that are killed [20s]
# The page cache is dropped before cold runs where the user may do so (root).
set -eu
cd "$(dirname "$0")"
: "${WORK:?set WORK to a scratch directory}"
mkdir -p "$WORK/bin" "$WORK/data"
WORK=$(cd "$WORK" && pwd)
BASE=${BASE:-$WORK/base}
CORPUS=$WORK/corpus
OUT=$WORK/results.jsonl
if [ -z "${TARGETS:-}" ]; then
	TARGETS=
	[ -n "${HONE_BIN:-}" ] && TARGETS="hone"
	[ -n "${HONE_BEFORE_BIN:-}" ] && TARGETS="$TARGETS hone-before"
	[ -n "${PYROSCOPE_BIN:-}" ] && TARGETS="$TARGETS pyroscope"
	[ -n "${PARCA_BIN:-}" ] && TARGETS="$TARGETS parca parca-nowal"
fi
if [ -z "${QUERIED:-}" ]; then
	QUERIED=
	for t in $TARGETS; do [ "$t" = parca-nowal ] || QUERIED="$QUERIED $t"; done
fi
PHASES=${PHASES:-capture gen push serial paced query crash floor report}
CONC_pyroscope=${CONC_pyroscope:-512} # its acks wait for a flush every 500 ms
CLICKHOUSE_BIN=$WORK/bin/onclickhouse
case " $TARGETS ${GROWN:-} " in *" clickhouse-today "*)
	CLICKHOUSE_TODAY=$(sh ../../test/clickhouse/engine.sh today)
	CLICKHOUSE_SHIM=$PWD/../../internal/store/clickhouse/clickhousetest/today.py
	;;
esac
export HONE_BIN HONE_BEFORE_BIN PYROSCOPE_BIN PARCA_BIN CLICKHOUSE_BIN CLICKHOUSE_TODAY CLICKHOUSE_SHIM 2>/dev/null || true

conc() {
	v=CONC_$(echo "$1" | tr - _)
	eval "echo \${$v:-${CONC:-64}}"
}
say() { echo "== $(date +%H:%M:%S) $*" >&2; }

go build -o "$WORK/bin/" ./cmd/...

for phase in $PHASES; do
	say "$phase"
	case $phase in
	capture)
		[ -d "$BASE" ] && continue
		for w in api typecheck textproc codec store rpc; do
			go build -trimpath -o "$WORK/bin/w-$w" "./workloads/$w"
			say "capture $w"
			GOROOT=$(go env GOROOT) PEERBENCH_MEMRATE=16384 "$WORK/bin/w-$w" -out "$BASE.new" -dur "${CAPTURE:-25s}" 2>/dev/null
		done
		mv "$BASE.new" "$BASE"
		;;
	gen)
		rm -rf "$CORPUS"
		"$WORK/bin/gen" -base "$BASE" -out "$CORPUS" -seed "${SEED:-1}" -services "${SERVICES:-5}" -instances "${INSTANCES:-4}" -steps "${STEPS:-240}" -step "${STEP:-15s}" >"$WORK/gen.json"
		: >"$OUT"
		;;
	push)
		for t in $QUERIED; do
			say "push $t"
			"$WORK/bin/pushbench" -target "$t" -corpus "$CORPUS" -data "$WORK/data/$t" -out "$OUT" -c "$(conc "$t")" >/dev/null
		done
		;;
	serial) # one profile at a time: the latency of an acknowledgement
		for t in $TARGETS; do
			say "serial $t"
			"$WORK/bin/pushbench" -target "$t" -corpus "$CORPUS" -steps 1 -c 1 -settle 1s -data "$WORK/data/$t-serial" -out "$OUT" >/dev/null
		done
		;;
	paced) # the same load for all: what it costs
		for t in $TARGETS; do
			say "paced $t"
			"$WORK/bin/pushbench" -target "$t" -corpus "$CORPUS" -steps 30 -rate "${RATE:-50}" -c 256 -data "$WORK/data/$t-paced" -out "$OUT" >/dev/null
		done
		;;
	query)
		for t in $QUERIED; do
			say "query $t"
			"$WORK/bin/audit" -target "$t" -corpus "$CORPUS" -data "$WORK/data/$t" -out "$OUT" >/dev/null
			"$WORK/bin/querybench" -target "$t" -corpus "$CORPUS" -data "$WORK/data/$t" -out "$OUT" -n "${RUNS:-12}" -cold "${COLD:-2}" >/dev/null
		done
		;;
	crash)
		for t in $TARGETS; do
			say "crash $t"
			"$WORK/bin/crashbench" -target "$t" -corpus "$CORPUS" -c "$(conc "$t")" -data "$WORK/data/$t-crash" -out "$OUT" -load "${LOAD:-20s}" >/dev/null
		done
		;;
	growth) # a week of a fleet; see cmd/growth
		"$WORK/bin/growth" -target "${GROWN:-hone}" -corpus "$CORPUS" -data "$WORK/data/${GROWN:-hone}-growth" -out "$OUT" >/dev/null
		;;
	floor)
		"$WORK/bin/floor" -corpus "$CORPUS" -out "$OUT" >/dev/null
		;;
	report)
		"$WORK/bin/report" -in "$OUT" -corpus "$CORPUS" | tee "$WORK/report.md"
		;;
	esac
done
say done
