package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// heatLines prints a heat map: its columns, then each row with its cells.
func heatLines(h *store.HeatMap) string {
	var b strings.Builder
	for _, t := range h.Times {
		fmt.Fprintf(&b, "%s ", when(t))
	}
	fmt.Fprintf(&b, "%s, %d rows left, %d earlier\n", h.Type.Type, h.Left, h.Earlier)
	for i, r := range h.Rows {
		name := fmt.Sprintf("%g to %g", r.Low, r.High)
		if r.Low == r.High {
			name = fmt.Sprintf("%q", r.Label)
		}
		fmt.Fprintf(&b, "%s %d of %d:", name, r.Total.Value, r.Total.Profiles)
		for _, c := range h.Cells {
			if c.Row == i {
				fmt.Fprintf(&b, " %s=%d/%d", when(h.Times[c.Column]), c.Total.Value, c.Total.Profiles)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func testHeat(t *testing.T, s store.Store) {
	at := func(m int64) int64 { return base + m*minute }
	put(t, s,
		record(t, 1, at(0), "cpu", 1, "instance", "a"), record(t, 2, at(0)+1, "cpu", 2, "instance", "a"),
		record(t, 3, at(0)+2, "cpu", 8, "instance", "b.*"), record(t, 4, at(1), "cpu", 4, "instance", "b.*"),
		record(t, 5, at(3), "cpu", 6, "instance", "b"), record(t, 6, at(3)+1, "cpu", 3),
		record(t, 7, at(1), "heap", 5, "instance", "a"))
	cpu := store.Query{Selector: selector(t, "cpu"), Step: minute}
	from := cpu
	from.From = at(1)
	none := cpu
	none.Selector = selector(t, "mutex")
	for _, test := range []struct {
		what string
		q    store.HeatQuery
		want string
	}{
		{"instances", store.HeatQuery{Query: cpu, Label: "instance", Rows: 10}, `0s 1m0s 3m0s cpu, 0 rows left, 0 earlier
"b.*" 12 of 2: 0s=8/1 1m0s=4/1
"b" 6 of 1: 3m0s=6/1
"" 3 of 1: 3m0s=3/1
"a" 3 of 2: 0s=3/2`},
		{"the largest instance", store.HeatQuery{Query: cpu, Label: "instance", Rows: 1}, `0s 1m0s cpu, 3 rows left, 0 earlier
"b.*" 12 of 2: 0s=8/1 1m0s=4/1`},
		{"without a label", store.HeatQuery{Query: from, Label: "instance", Rows: 2}, `1m0s 3m0s cpu, 1 rows left, 0 earlier
"b" 6 of 1: 3m0s=6/1
"b.*" 4 of 1: 1m0s=4/1`},
		{"values", store.HeatQuery{Query: cpu, Rows: 4, Profiles: 10}, `0s 1m0s 3m0s cpu, 0 rows left, 0 earlier
0 to 2 1 of 1: 0s=1/1
2 to 4 5 of 2: 0s=2/1 3m0s=3/1
4 to 6 4 of 1: 1m0s=4/1
6 to 8 14 of 2: 0s=8/1 3m0s=6/1`},
		{"the latest profiles", store.HeatQuery{Query: cpu, Rows: 2, Profiles: 4}, `1m0s 3m0s cpu, 0 rows left, 3 earlier
0 to 3 0 of 0:
3 to 6 13 of 3: 1m0s=4/1 3m0s=9/2`},
		{"the latest of a column", store.HeatQuery{Query: cpu, Rows: 2, Profiles: 1}, `3m0s cpu, 0 rows left, 5 earlier
"" 3 of 1: 3m0s=3/1`},
		{"nothing", store.HeatQuery{Query: none, Rows: 2, Profiles: 1}, `, 0 rows left, 0 earlier`},
		{"no instances", store.HeatQuery{Query: none, Rows: 2, Label: "instance"}, `, 0 rows left, 0 earlier`},
	} {
		h, err := store.Heat(t.Context(), s, test.q)
		if err != nil {
			t.Errorf("%s: %v", test.what, err)
			continue
		}
		wantText(t, test.what, heatLines(h), test.want)
	}
	h, err := store.Heat(t.Context(), s, store.HeatQuery{Query: cpu, Label: "instance", Rows: 10})
	if err != nil {
		t.Fatal(err)
	}
	if n := h.Interval(); n != minute {
		t.Errorf("the interval is %d, want %d", n, minute)
	}
	h.Widen(2 * minute)
	wantText(t, "wider columns", heatLines(h), `0s 2m0s cpu, 0 rows left, 0 earlier
"b.*" 12 of 2: 0s=12/2
"b" 6 of 1: 2m0s=6/1
"" 3 of 1: 2m0s=3/1
"a" 3 of 2: 0s=3/2`)
	for _, label := range []string{"", "instance"} {
		all := store.HeatQuery{Query: store.Query{Step: minute}, Label: label, Rows: 10, Profiles: 10}
		if _, err := store.Heat(t.Context(), s, all); !errors.Is(err, profile.ErrNothingCommon) {
			t.Errorf("heat map of two kinds by %q: got %v, want %v", label, err, profile.ErrNothingCommon)
		}
	}
}
