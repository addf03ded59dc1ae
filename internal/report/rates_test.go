package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/hone-go/hone/profile"
)

// A rateCase is a value and how it is printed. web/src/model/rates.test.ts compares with it.
type rateCase struct {
	Type      string `json:"type"`
	Unit      string `json:"unit"`
	PerSecond bool   `json:"perSecond"`
	Value     int64  `json:"value"`
	Text      string `json:"text"`
}

// TestRates prints every kind of unit in every magnitude, as it is and per second.
func TestRates(t *testing.T) {
	var all []rateCase
	for _, st := range []profile.ValueType{
		{Type: "cpu", Unit: "nanoseconds"}, {Type: "cpu", Unit: "microseconds"}, {Type: "delay", Unit: "nanoseconds"}, {Type: "alloc_space", Unit: "bytes"},
		{Type: "samples", Unit: "count"}, {Type: "contentions", Unit: "count"}, {Type: "cycles", Unit: "cycles"}, {Type: "cpu", Unit: "count"},
	} {
		for _, perSecond := range []bool{false, true} {
			for _, digits := range []int64{1, 351, -742} {
				for v := digits; v < 1e15 && v > -1e15; v *= 1000 {
					all = append(all, rateCase{st.Type, st.Unit, perSecond, v, formatRate(v, st.Unit, "auto", rateOf(st, perSecond))})
				}
			}
		}
	}
	for _, tt := range []rateCase{
		{"cpu", "nanoseconds", true, 35_090_000_000, "35.09 cores"},
		{"cpu", "nanoseconds", true, 35_000_000_000, "35 cores"},
		{"cpu", "nanoseconds", true, 1_000_000_000, "1 core"},
		{"cpu", "nanoseconds", true, 74_187_400, "0.0742 cores"},
		{"cpu", "nanoseconds", true, -451_000_000, "-0.45 cores"},
		{"cpu", "nanoseconds", true, 12, "0"},
		{"cpu", "nanoseconds", false, 35_090_000_000, "35.09s"},
		{"delay", "nanoseconds", true, 35_090_000_000, "35.09s/s"},
		{"alloc_space", "bytes", true, 3 << 20, "3MB/s"},
		{"samples", "count", true, 45, "45/s"},
		{"samples", "count", true, 0, "0"},
	} {
		st := profile.ValueType{Type: tt.Type, Unit: tt.Unit}
		if got := formatRate(tt.Value, tt.Unit, "auto", rateOf(st, tt.PerSecond)); got != tt.Text {
			t.Errorf("%d %s of %s: %q, want %q", tt.Value, tt.Unit, tt.Type, got, tt.Text)
		}
		all = append(all, tt)
	}
	if got := formatRate(74_187_400, "nanoseconds", "ms", inCores); got != "74.19ms/s" {
		t.Errorf("in a unit that was asked for: %s", got)
	}
	got := []byte("[\n")
	for i, c := range all {
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			got = append(got, ",\n"...)
		}
		got = append(got, line...)
	}
	got = append(got, "\n]\n"...)
	const file = "testdata/rates.json"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s has other texts (%v); -update writes it:\n%s", file, err, got)
	}
}
