package api

import (
	"time"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
)

// A RunRow is a run in the list, as doc/api.md describes it.
type RunRow struct {
	ListedRun
	Packages    []string                `json:"packages"`
	Names       []string                `json:"names"` // of benchmarks, without their packages
	Revision    string                  `json:"revision"`
	Environment *experiment.Environment `json:"environment,omitempty"`
}

// RunList are the runs of a folder, and those that were named besides.
type RunList struct {
	Dir  string   `json:"dir"`
	Runs []RunRow `json:"runs"`
}

// RunVerdicts are what runs that were measured against a base found, by their ids.
type RunVerdicts struct {
	Verdicts map[string]RunVerdict `json:"verdicts"`
}

// A RunVerdict is the verdict of a run: in one line all of it, and what changed.
type RunVerdict struct {
	Summary string `json:"summary"` // 1 slower, 14 without change
	Changed string `json:"changed"` // 1 slower; "" for nothing
	Worse   int    `json:"worse"`
	Better  int    `json:"better"`
}

// A RunAbout is what is known of a run but for its results.
type RunAbout struct {
	ListedRun
	Revision    string                 `json:"revision"`
	Environment experiment.Environment `json:"environment"`
	Notes       []string               `json:"notes"`
	Problems    []string               `json:"problems"`
	Line        string                 `json:"line"` // the command as a shell takes it
	Profiles    []RunProfile           `json:"profiles"`
	Load        bool                   `json:"load,omitempty"` // there is a RunLoad
}

// A RunLoad is the course of a load, as doc/runs.md describes load.json.
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

// A Comparison is what hone compare -json prints, and beside each
// comparison its figures as hone prints them.
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
	Command    []string             `json:"command,omitempty"`
	Warnings   []string             `json:"warnings,omitempty"`
}

// Trend is results over runs, as doc/api.md describes it.
type (
	Trend struct {
		Runs   []TrendRun    `json:"runs"` // the oldest first
		Series []TrendSeries `json:"series"`
		// Left out: runs that can't be read, and why.
		Warnings []string `json:"warnings"`
	}
	TrendRun struct {
		ID       string           `json:"id"`
		Created  time.Time        `json:"created"`
		State    experiment.State `json:"state"`
		Revision string           `json:"revision"`
		Machine  string           `json:"machine"` // runs with different ones don't compare
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
