package fnmetrics_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/fnmetrics"
)

// TestHistory checks a rule over windows of the past.
func TestHistory(t *testing.T) {
	f := newFleet(t)
	f.fill()
	f.put(3*time.Minute, 10*time.Second, cpu, map[string]int64{"main.main": 4e9}, "service", "web", "kind", "cpu", "instance", "c")
	r := f.plan(0, fnmetrics.RuleConfig{Name: "x", Select: "cpu", Functions: ".*", By: []string{"service", "function"}}).Rules[0]
	windows, err := r.Windows(t.Context(), f.st, start.UnixNano(), after(time.Hour).UnixNano(), int64(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	var past []*fnmetrics.Past
	for i := range windows {
		p, err := r.Read(t.Context(), f.st, &windows[i], nil)
		if err != nil {
			t.Fatal(err)
		}
		past = append(past, p)
	}
	lines, unit, left := r.Lines(past, 3)
	got := fmt.Sprintf("%s, %d left\n", unit, left)
	for _, l := range lines {
		for _, label := range l.Labels {
			got += label.Value + " "
		}
		for _, v := range l.Values {
			if v == nil {
				got += "- "
				continue
			}
			got += fmt.Sprintf("%.6g ", *v)
		}
		got += "\n"
	}
	want := "cores, 1 left\nshop encoding/json.Marshal 0.8 - \nshop main.main 0.8 - \nweb main.main 0.1 0.4 \n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
