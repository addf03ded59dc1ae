package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What hone bench -json and benchstat -format csv print, cut short.
const (
	honeJSON = `{"run": "x", "regression": true, "comparison": {"columns": [], "comparisons": [{"base": "b", "comparisons": [
		{"benchmark": "Sort-2", "unit": "ns/op", "better": -1, "gated": true, "verdict": "worse", "words": "slower", "scale": "ratio", "change": 1.031, "minDetectable": 0.01},
		{"benchmark": "Hash-2", "unit": "ns/op", "better": -1, "gated": true, "verdict": "inconclusive", "words": "inconclusive (min detectable 4.1 %)", "scale": "ratio", "change": 1.02, "minDetectable": 0.041},
		{"benchmark": "Memory-2", "unit": "ns/op", "better": -1, "gated": true, "verdict": "inconclusive", "words": "inconclusive", "scale": "ratio", "change": 1.02, "minDetectable": 0.021},
		{"benchmark": "Allocate-2", "unit": "B/op", "better": -1, "gated": true, "verdict": "better", "words": "better", "scale": "difference", "change": -12, "minDetectable": 0}]}]}}`
	statCSV = `goos: linux
goarch: amd64
pkg: known
,side0.txt,,side1.txt
,sec/op,CI,sec/op,CI,vs base,P
Sort-2,1.2e-05,1%,1.24e-05,2%,+3.12%,p=0.001 n=10
Hash-2,1.2e-05,1%,1.2e-05,2%,~,p=0.4 n=10
Memory-2,1.2e-05,1%,1.1e-05,2%,-8.00%,p=0.001 n=10
geomean,1.1e-05,,1.2e-05,,-1.4%
`
)

func TestVerdicts(t *testing.T) {
	hone, err := honeVerdicts([]byte(honeJSON))
	if err != nil {
		t.Fatal(err)
	}
	stat, err := statVerdicts([]byte(statCSV))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		target     string
		hone, stat outcome
		alarms     [2]int // beside the target
	}{
		{"Sort", found, found, [2]int{1, 1}},
		{"Hash", blind, missed, [2]int{2, 2}},
		{"Memory", missed, wrong, [2]int{2, 1}},
	} {
		r := result{Shift: 3, Target: test.target}
		if h, s := r.outcomes(hone), r.outcomes(stat); h[test.hone] != 1 || s[test.stat] != 1 || len(h) != 1 || len(s) != 1 {
			t.Errorf("%s: hone %v, benchstat %v, want %s and %s", test.target, h, s, test.hone, test.stat)
		}
		if got := [2]int{r.alarms(hone), r.alarms(stat)}; got != test.alarms {
			t.Errorf("%s: false alarms %v, want %v", test.target, got, test.alarms)
		}
	}
	all := result{Shift: 3}
	if h := all.outcomes(hone); h[found] != 1 || h[blind] != 1 || h[missed] != 1 || all.alarms(hone) != 0 {
		t.Errorf("all changed: %v, false alarms %d", h, all.alarms(hone))
	}
	null := result{}
	if n, alarms := null.times(stat); n != 3 || alarms != 2 {
		t.Errorf("nothing changed: %d of %d times did, by benchstat", alarms, n)
	}
	same, err := honeVerdicts([]byte(`{"sameCode": [{"package": "known", "benchmark": "Sort-2"}]}`))
	if r := (&result{}); err != nil || len(same) != 1 || same[0].Benchmark != "Sort" || r.alarms(same) != 0 {
		t.Errorf("the same code: %+v, %v", same, err)
	}
	for _, bad := range []string{"", "{}", "[]"} {
		if _, err := honeVerdicts([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a report of hone", bad)
		}
		if _, err := statVerdicts([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a table of benchstat", bad)
		}
	}
}

// The two kinds take turns, whenever the program was ended.
func TestNext(t *testing.T) {
	tr := &trial{null: 8, injected: 2, shift: 3, benchmarks: 2}
	var done []result
	var order strings.Builder
	for {
		r, ok := tr.next(done)
		if !ok {
			break
		}
		done = append(done, r)
		order.WriteString(map[string]string{"": ".", "Arithmetic": "A", "Hash": "H"}[r.Target])
	}
	if got := order.String(); len(got) != 10 || strings.Count(got, ".") != 8 || strings.Contains(got, ".....") {
		t.Errorf("order %s", got)
	}
}

func TestResume(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.jsonl")
	if done, err := readResults(file); len(done) != 0 || err != nil {
		t.Error(done, err)
	}
	if err := os.WriteFile(file, []byte("{\"shift\":3,\"target\":\"Sort\"}\n{\"shift\":0}\n{\"shi"), 0o666); err != nil {
		t.Fatal(err)
	}
	done, err := readResults(file)
	if err != nil || len(done) != 2 || done[0].Target != "Sort" {
		t.Error(done, err)
	}
	if text, _ := os.ReadFile(file); strings.HasSuffix(string(text), "shi") {
		t.Error("the torn line stays, and the next would be appended to it")
	}
	if err := os.WriteFile(file, []byte("nonsense\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readResults(file); err == nil {
		t.Error("nonsense is read")
	}
	var b strings.Builder
	if err := summarize(&b, done); err != nil || !strings.Contains(b.String(), "injected: found") {
		t.Error(b.String(), err)
	}
}

func TestSpread(t *testing.T) {
	var s spread
	for _, nanos := range []float64{90, 100, 110} {
		s.add(nanos, time.Second)
	}
	if got := s.deviation(); math.Abs(got-0.1) > 1e-12 {
		t.Errorf("deviation %v, want a tenth", got)
	}
	if got := s.errorAfter(25 * time.Second); math.Abs(got-0.02) > 1e-12 {
		t.Errorf("error of 25 processes %v, want a fifth of the deviation", got)
	}
}
