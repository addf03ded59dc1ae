package api

import (
	"time"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
)

// A RunRow is a run in the list.
type RunRow struct {
	ListedRun
	Packages    []string                `json:"packages"`
	Names       []string                `json:"names"` // of benchmarks, without their packages
	Revision    string                  `json:"revision"`
	Line        string                  `json:"line"` // the command as a shell takes it
	Environment *experiment.Environment `json:"environment,omitempty"`
}

// RunList lists the runs in a folder, and those named explicitly.
type RunList struct {
	Dir  string   `json:"dir"`
	Runs []RunRow `json:"runs"`
}

// RunVerdicts has the verdicts of runs with a base, by run id.
type RunVerdicts struct {
	Verdicts map[string]RunVerdict `json:"verdicts"`
}

// A RunVerdict is the verdict of a run, in one line.
type RunVerdict struct {
	Summary string `json:"summary"` // 1 slower, 14 without change
	Changed string `json:"changed"` // 1 slower; "" if nothing changed
	Worse   int    `json:"worse"`
	Better  int    `json:"better"`
}

// A RunAbout describes a run, without its results.
type RunAbout struct {
	ListedRun
	Revision    string                 `json:"revision"`
	Environment experiment.Environment `json:"environment"`
	Notes       []string               `json:"notes"`
	Problems    []string               `json:"problems"`
	Line        string                 `json:"line"` // the command as a shell takes it
	Profiles    []RunProfile           `json:"profiles"`
	Load        bool                   `json:"load,omitempty"` // it has a RunLoad
}

// A RunLoad is the course of a load test, as doc/runs.md describes load.json.
type RunLoad struct {
	ID string `json:"id"` // of the run
	*experiment.Load
}

// A RunProfile is a profile of a run.
type RunProfile struct {
	ID        string `json:"id"` // as parameters profile and base take it
	Package   string `json:"package,omitempty"`
	Benchmark string `json:"benchmark"`
	Side      string `json:"side"`
	Kind      string `json:"kind"`
}

// A Comparison is the output of hone compare -json, with the figures of each comparison as
// hone prints them.
type Comparison struct {
	compare.Document
	Shown   [][]compare.Row `json:"shown"`
	Command string          `json:"command"`
}

// ListedRun is a run in a list, as hone runs -json prints it.
type ListedRun struct {
	ID         string               `json:"id"`
	Dir        string               `json:"dir"`
	Created    time.Time            `json:"created"`
	State      experiment.State     `json:"state"`
	Error      string               `json:"error,omitempty"` // why it is corrupt
	Head       *experiment.Revision `json:"head,omitempty"`
	Base       *experiment.Revision `json:"base,omitempty"`
	Benchmarks int                  `json:"benchmarks"`
	Took       float64              `json:"took,omitempty"` // seconds until it was complete
	Command    []string             `json:"command,omitempty"`
	Warnings   []string             `json:"warnings,omitempty"`
}

// Trend has results over several runs.
type (
	Trend struct {
		Runs   []TrendRun    `json:"runs"` // the oldest first
		Series []TrendSeries `json:"series"`
		// Which runs were left out because they can't be read, and why.
		Warnings []string `json:"warnings"`
	}
	TrendRun struct {
		ID       string           `json:"id"`
		Created  time.Time        `json:"created"`
		State    experiment.State `json:"state"`
		Revision string           `json:"revision"`
		Branch   string           `json:"branch,omitempty"`
		Subject  string           `json:"subject,omitempty"` // the first line of the commit's message
		Machine  string           `json:"machine"`           // only runs on the same machine compare
		Go       string           `json:"go,omitempty"`
	}
	TrendSeries struct {
		Package   string               `json:"package,omitempty"`
		Benchmark string               `json:"benchmark"`
		Unit      string               `json:"unit"` // of all values, tidied: sec/op
		Better    experiment.Direction `json:"better"`
		Points    []TrendPoint         `json:"points"`
		Bounds    []TrendBound         `json:"bounds"`
	}
	TrendPoint struct {
		Run    int      `json:"run"` // index in runs
		Median *float64 `json:"median"`
		Lo     *float64 `json:"lo"`
		Hi     *float64 `json:"hi"`
		N      int      `json:"n"`
	}
	TrendBound struct {
		Kind  string  `json:"kind"` // max or min
		Value float64 `json:"value"`
		Text  string  `json:"text"` // as written in hone.toml
		Name  string  `json:"name,omitempty"`
	}
)
