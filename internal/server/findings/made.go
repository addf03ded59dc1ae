package findings

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advisor"
)

// made is finished advice.
type made struct {
	report *advice.Report
	run    string
	shows  map[string]string // IDs of profiles by ID of finding
	kept   bool
	at     time.Time
}

// make loads the profiles of a question and examines them.
func (w *work) make(ctx context.Context, cfg *Config, stage func(string)) (*made, error) {
	var inputs []advice.Input
	for i, p := range w.profiles {
		if len(w.profiles) > 1 {
			stage(fmt.Sprintf("loading profile %d of %d", i+1, len(w.profiles)))
		}
		loaded, err := p.Load(ctx)
		if err != nil {
			return nil, err
		}
		in := p.as
		in.Profile = loaded
		inputs = append(inputs, in)
	}
	for from := 0; from < len(inputs); {
		to := from + 1
		for s := w.profiles[from].selection; s > 0 && to < len(inputs) && w.profiles[to].selection == s; {
			to++
		}
		advisor.CountOnce(inputs[from:to])
		from = to
	}
	report, err := cfg.Examine(ctx, inputs, advice.Options{Compiler: true, Foreign: true, MaxPackages: cfg.Limits.Packages, Stage: stage})
	if err != nil {
		return nil, err
	}
	m := &made{report: report, run: w.run, shows: make(map[string]string), kept: cfg.Keep, at: time.Now()}
	if m.kept {
		if err := cfg.Module.Store.Show(report, w.benchmarks); err != nil {
			m.kept = false // the module's folder can't be written, but the findings are valid
		}
	}
	for i := range report.Findings {
		f := &report.Findings[i]
		m.shows[f.ID] = w.shows(f, inputs)
		if f.Fix != nil {
			f.Fix = f.Fix.WithoutTexts() // only hone fix needs whole files
		}
	}
	return m, nil
}

// shows returns the ID of the profile that shows a finding's cost; "" if none does.
func (w *work) shows(f *advice.Finding, inputs []advice.Input) string {
	e := &f.Evidence
	for _, by := range []struct {
		is           *advice.Share
		kind, column string
	}{{e.CPU, "cpu", "cpu"}, {e.Bytes, "mem", "alloc_space"}, {e.Objects, "mem", "alloc_objects"}, {e.Mutex, "mutex", "delay"}, {e.Block, "block", "delay"}, {e.Live, "mem", "inuse_space"}} {
		if by.is == nil {
			continue
		}
		for i, in := range inputs {
			if in.Subject == e.Subject && (in.Kind == "" || in.Kind == by.kind) {
				if _, err := in.Profile.SampleIndex(by.column); err == nil {
					return w.profiles[i].ID
				}
			}
		}
	}
	return ""
}

// stampOf returns a text that changes with the source of a report: the names, sizes and
// times of the files in the module's folder and in the report's folders. changed is the
// time of the last change.
func stampOf(module string, report *advice.Report) (stamp string, changed time.Time) {
	h := fnv.New128a()
	for _, dir := range append([]string{module}, report.Folders...) {
		entries, err := os.ReadDir(dir)
		fmt.Fprintln(h, dir, err)
		for _, e := range entries {
			if name := e.Name(); filepath.Ext(name) != ".go" && name != "go.mod" && name != "go.work" {
				continue
			}
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			fmt.Fprintln(h, e.Name(), info.Size(), info.ModTime().UnixNano())
			if info.ModTime().After(changed) {
				changed = info.ModTime()
			}
		}
	}
	return string(h.Sum(nil)), changed
}
