package advisor

import (
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/profile"
)

// TestProfilesToTry: a profile that the compiler can't use is no reason to give no advice.
func TestProfilesToTry(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	b.Sample([]uint32{b.Location(0, 0, profile.Line{Function: b.Function("main.main", "main.main", "main.go", 0), Line: 3})}, nil, 100, 1e9)
	report := &advice.Report{Findings: []advice.Finding{{ID: "pgo-off-1", Try: advice.ByProfile}, {ID: "sort-slice-1"}}}
	if profiles := profilesToTry(report, []advice.Input{{Profile: b.Profile(), Kind: "cpu"}}); len(profiles) != 0 {
		t.Errorf("%d profiles", len(profiles))
	}
	if f := report.Findings[0]; f.Try != "" || len(f.Caveats) != 1 || !strings.Contains(f.Caveats[0], "start lines of functions") || len(report.Findings[1].Caveats) != 0 {
		t.Errorf("%+v", report.Findings)
	}
}
