package main

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/tune"
)

// TestTuneAgain: what was refuted before is tried again if that is asked for.
func TestTuneAgain(t *testing.T) {
	dir := t.TempDir()
	refuted := advice.Finding{ID: "test-1", Class: advice.Safe, State: advice.Refuted, Fix: &advice.Fix{File: filepath.Join(dir, "gone.go")}}
	for again, fails := range map[bool]bool{false: false, true: true} { // there is no file to rewrite
		g := &tuning{
			app: &app{stdout: io.Discard, stderr: io.Discard}, flags: newTunerFlags("tune"), tuner: &tune.Tuner{Dir: dir}, class: "AB", most: 5, again: again,
			profiles: new(toAdvise), report: &advice.Report{Findings: []advice.Finding{refuted}},
		}
		g.progress = newProgress(g.app)
		if kept, err := g.pass(t.Context(), make(map[string]bool)); kept || (err != nil) != fails {
			t.Errorf("again %v: kept %v, %v", again, kept, err)
		}
	}
}
