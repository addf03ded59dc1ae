// Command report prints the result file as Markdown tables.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
)

type row map[string]any

func (r row) s(k string) string {
	switch v := r[k].(type) {
	case nil:
		return ""
	case float64:
		switch {
		case v == float64(int64(v)):
			return fmt.Sprintf("%d", int64(v))
		case v >= 100:
			return fmt.Sprintf("%.0f", v)
		case v >= 1:
			return fmt.Sprintf("%.1f", v)
		default:
			return fmt.Sprintf("%.3f", v)
		}
	case []any:
		var ss []string
		for _, x := range v {
			ss = append(ss, row{"x": x}.s("x"))
		}
		return strings.Join(ss, ", ")
	default:
		return fmt.Sprint(v)
	}
}

// table prints one row per result.
func table(title string, rows []row, cols ...string) {
	if len(rows) == 0 {
		return
	}
	fmt.Printf("\n## %s\n\n| %s |\n|%s\n", title, strings.Join(cols, " | "), strings.Repeat(" --- |", len(cols)))
	for _, r := range rows {
		var cs []string
		for _, c := range cols {
			cs = append(cs, strings.ReplaceAll(r.s(c), "|", "/"))
		}
		fmt.Printf("| %s |\n", strings.Join(cs, " | "))
	}
}

// turned prints one column per result.
func turned(title string, rows []row, head string, keys ...string) {
	if len(rows) == 0 {
		return
	}
	fmt.Printf("\n## %s\n\n| |", title)
	for _, r := range rows {
		fmt.Printf(" %s |", r.s(head))
	}
	fmt.Printf("\n| --- |%s\n", strings.Repeat(" --- |", len(rows)))
	for _, k := range keys {
		fmt.Printf("| %s |", k)
		for _, r := range rows {
			fmt.Printf(" %s |", r.s(k))
		}
		fmt.Println()
	}
}

func main() {
	in := flag.String("in", "results.jsonl", "result file")
	meta := flag.String("corpus", "", "corpus, for its own figures")
	flag.Parse()
	if *meta != "" {
		if b, err := os.ReadFile(*meta + "/corpus.json"); err == nil {
			var m struct {
				Steps    int            `json:"steps"`
				Step     float64        `json:"step_nanos"`
				Profiles int            `json:"profiles"`
				Samples  int64          `json:"samples"`
				Values   int64          `json:"nonzero_values"`
				Gz       int64          `json:"gz_bytes"`
				Raw      int64          `json:"raw_bytes"`
				Services []string       `json:"services"`
				Inst     int            `json:"instances"`
				Per      map[string]row `json:"per_type"`
			}
			if err := json.Unmarshal(b, &m); err != nil {
				log.Fatal(err)
			}
			fmt.Printf("# Corpus\n\n%d services (%s), %d instances each, %d steps of %.0f s: %d profiles, %d samples, %d non-zero values, %.1f MB gzipped, %.1f MB plain.\n",
				len(m.Services), strings.Join(m.Services, ", "), m.Inst, m.Steps, m.Step/1e9, m.Profiles, m.Samples, m.Values, float64(m.Gz)/1e6, float64(m.Raw)/1e6)
			var rs []row
			for _, t := range []string{"cpu", "heap", "mutex", "block", "goroutine"} {
				if r := m.Per[t]; r != nil {
					r["type"] = t
					u, _ := json.Marshal(r["unique_stacks"])
					r["unique_stacks"] = string(u)
					rs = append(rs, r)
				}
			}
			table("By type", rs, "type", "profiles", "samples", "min_samples", "max_samples", "nonzero_values", "gz_bytes", "raw_bytes", "unique_stacks")
		}
	}
	f, err := os.Open(*in)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	by := map[string][]row{}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var r row
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			log.Fatal(err)
		}
		t := r.s("test")
		if t == "query" {
			t += " " + r.s("query")
		}
		by[t] = append(by[t], r)
	}
	turned("Push", by["push"], "target", "concurrency", "profiles", "failed", "retried", "wall_s", "profiles_per_s", "samples_per_s", "gz_mb_per_s", "ack_p50_ms", "ack_p95_ms", "ack_max_ms",
		"server_cpu_s", "client_cpu_s", "server_peak_rss_mb", "server_rss_end_mb", "checks_at_once_wrong", "settle_s", "server_cpu_settle_s", "server_peak_rss_settle_mb", "server_rss_settled_mb",
		"disk_after_push_mb", "disk_settled_mb", "live_mb", "files_settled", "written_mb", "stop_s", "disk_after_stop_mb", "disk_blocks_after_stop_mb", "files_after_stop", "checks_wrong", "error")
	turned("Paced push", by["paced"], "target", "rate_per_s", "concurrency", "profiles", "failed", "retried", "wall_s", "profiles_per_s", "ack_p50_ms", "ack_p95_ms", "ack_max_ms",
		"server_cpu_s", "client_cpu_s", "server_peak_rss_mb", "server_rss_end_mb", "checks_at_once_wrong", "settle_s", "server_cpu_settle_s", "disk_blocks_after_stop_mb", "checks_wrong", "error")
	var checked []row
	for _, t := range []string{"push", "paced", "start"} {
		checked = append(checked, by[t]...)
	}
	for _, p := range checked {
		for _, k := range []string{"checks_at_once", "checks"} {
			if l, ok := p[k].([]any); ok {
				for _, x := range l {
					if s := fmt.Sprint(x); strings.Contains(s, "WRONG") || strings.Contains(s, "error") {
						fmt.Printf("\n%s, %s, c=%s, %s: %s\n", p.s("target"), p.s("test"), p.s("concurrency"), k, s)
					}
				}
			}
		}
	}
	table("Audit: every profile looked for after a restart", by["audit"], "target", "profiles", "exact", "missing", "missing_by_type", "points_too_many", "examples")
	cols := []string{"target", "cold_ms", "warm_p50_ms", "warm_p95_ms", "warm_min_ms", "warm_max_ms", "warm_runs", "warm_cpu_s_per_query", "rss_before_mb", "cold_peak_rss_mb", "warm_peak_rss_mb", "answer_kb", "info", "check", "error"}
	for _, q := range []string{"a-flame-service", "a-flame-service-moving", "a-flame-service-full", "a-flame-heap-service", "b-flame-all", "c-flame-instance", "d-diff-halves", "d-pprof-service", "e-series-service", "e-series-all"} {
		if rs := by["query "+q]; len(rs) > 0 {
			table(q+": "+rs[0].s("what"), rs, cols...)
		}
	}
	table("Start", by["start"], "target", "checks_wrong", "starts", "ready_p50_ms", "ready_max_ms", "page_cache_dropped")
	table("Crash", by["crash"], "target", "scenario", "acked_profiles_of_all_types", "acked_cpu_profiles", "seen_when_ready", "survived", "until_count_stable_s", "lost", "lost_in_last_second_of_acks", "oldest_lost_ack_before_kill_ms", "points_of_profiles_not_acked", "stop_ms", "restart_to_ready_ms", "error")
	table("Growth: a week of a fleet, pushed in its order", by["growth"], "target", "part", "profiles", "profiles_per_s", "server_cpu_ms_per_profile", "server_rss_mb", "server_peak_rss_mb", "disk_mb")
	table("Growth: queries", by["growth-query"], "target", "query", "profiles", "cold_ms", "warm_p50_ms", "warm_min_ms", "warm_max_ms", "peak_rss_mb", "check")
	table("Floor: tool", by["floor-tool"], "what", "selection", "files", "gz_mb", "wall_p50_ms", "wall_min_ms", "wall_max_ms", "cpu_s", "max_rss_mb")
	table("Floor: google/pprof in process", by["floor-inprocess"], "selection", "workers", "files", "samples", "gz_mb", "raw_mb", "parse_ms", "parse_merge_ms", "parse_samples_s", "samples_s", "parse_gz_mb_s", "gz_mb_s", "raw_mb_s", "peak_rss_mb", "merged_samples", "check_ok")
	table("Floor: sizes", by["floor-size"], "type", "raw_mb", "gz_as_is_mb", "zstd_per_file_mb", "zstd_per_series_stream_mb", "zstd_one_stream_mb")
}
