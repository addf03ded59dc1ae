package reports_test

import (
	"testing"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/servertest"
)

// TestMineAuto checks that mine=auto folds exactly the profiles that have code of yours
// and other code, and that the facts of a profile say which those are.
func TestMineAuto(t *testing.T) {
	s := servertest.NewSite(t, nil, "cpu.wordcount-v1.pb.gz", "cpu.wordcount-v2.pb.gz", "cpu.std-flate.pb.gz")
	program, other, library := s.IDs[0], s.IDs[1], s.IDs[2]
	for _, tt := range []struct {
		query string
		folds bool
	}{
		{"profile=" + program, true},
		{"profile=" + library, false},
		{"profile=" + program + "&base=" + other, true},
	} {
		total := func(mine string) report.Top {
			return servertest.Decode[struct{ Report report.Top }](t, s.Get("/api/v1/report/top?"+tt.query+mine)).Report
		}
		all, auto, mine := total(""), total("&mine=auto"), total("&mine=true")
		want := all
		if tt.folds {
			want = mine
		}
		if len(auto.Rows) != len(want.Rows) || auto.Rows[0].Name != want.Rows[0].Name || len(all.Rows) == len(mine.Rows) {
			t.Errorf("%s: %d rows, %s first; want %d, %s (all: %d)", tt.query, len(auto.Rows), auto.Rows[0].Name, len(want.Rows), want.Rows[0].Name, len(all.Rows))
		}
	}
	for id, want := range map[string]bool{program: true, library: false} {
		if info := servertest.Decode[struct{ Profile api.Info }](t, s.Get("/api/v1/profiles/"+id)).Profile; info.Foldable != want {
			t.Errorf("%s is foldable: %v", info.Name, info.Foldable)
		}
	}
}
