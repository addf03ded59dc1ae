package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/server"
)

// A medianCache keeps what trends need of runs, whose files are large beside it.
type medianCache struct {
	mu   sync.Mutex
	runs map[string]*runMedians // by directory
}

// runMedians are the medians of a run's head with their intervals.
type runMedians struct {
	written time.Time // run.json, when it was read
	run     trendRun
	values  map[experiment.Key]trendValue // by tidied unit
	order   []experiment.Key
	better  map[experiment.Key]experiment.Direction
}

type trendValue struct {
	median, lo, hi *float64
	n              int
}

// trend is results over runs, as doc/api.md describes it.
type (
	trend struct {
		Runs   []trendRun    `json:"runs"` // the oldest first
		Series []trendSeries `json:"series"`
		// Left out: runs that can't be read, and why.
		Warnings []string `json:"warnings"`
	}
	trendRun struct {
		ID       string           `json:"id"`
		Created  time.Time        `json:"created"`
		State    experiment.State `json:"state"`
		Revision string           `json:"revision"`
		Machine  string           `json:"machine"` // runs with different ones don't compare
		Go       string           `json:"go,omitempty"`
	}
	trendSeries struct {
		Package   string               `json:"package,omitempty"`
		Benchmark string               `json:"benchmark"`
		Unit      string               `json:"unit"` // of all values, tidied: sec/op
		Better    experiment.Direction `json:"better"`
		Points    []trendPoint         `json:"points"`
		Bounds    []trendBound         `json:"bounds"`
	}
	trendPoint struct {
		Run    int      `json:"run"` // index in runs
		Median *float64 `json:"median"`
		Lo     *float64 `json:"lo"`
		Hi     *float64 `json:"hi"`
		N      int      `json:"n"`
	}
	trendBound struct {
		Kind  string  `json:"kind"` // max or min
		Value float64 `json:"value"`
		Text  string  `json:"text"` // as written in hone.toml
		Name  string  `json:"name,omitempty"`
	}
)

// Trend returns medians over runs. A run that was measured with -against counts
// with its head.
func (k *keptRuns) Trend(ctx context.Context, of server.TrendQuery) (any, error) {
	entries, err := k.entries()
	if err != nil {
		return nil, err
	}
	entries = entries[:min(len(entries), of.Limit)]
	slices.Reverse(entries)
	objectives, _, err := readObjectives("")
	if err != nil {
		objectives = nil // none, or what hone check tells of
	}
	t := trend{Runs: []trendRun{}, Series: []trendSeries{}, Warnings: []string{}}
	index := make(map[experiment.Key]int)
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := k.medians.read(e)
		if err != nil {
			t.Warnings = append(t.Warnings, oneLine(err))
			continue
		}
		at := len(t.Runs)
		for _, key := range m.order {
			if of.Package != "" && of.Package != key.Package || of.Benchmark != "" && of.Benchmark != key.Benchmark || of.Unit != "" && of.Unit != key.Unit {
				continue
			}
			i, ok := index[key]
			if !ok {
				i = len(t.Series)
				index[key] = i
				t.Series = append(t.Series, trendSeries{
					Package: key.Package, Benchmark: key.Benchmark, Unit: key.Unit, Points: []trendPoint{}, Bounds: boundsOf(objectives, key),
				})
			}
			v := m.values[key]
			t.Series[i].Better = m.better[key]
			t.Series[i].Points = append(t.Series[i].Points, trendPoint{at, v.median, v.lo, v.hi, v.n})
		}
		t.Runs = append(t.Runs, m.run)
	}
	slices.SortStableFunc(t.Series, func(a, b trendSeries) int {
		return strings.Compare(a.Package+"."+a.Benchmark, b.Package+"."+b.Benchmark)
	})
	return t, nil
}

// boundsOf returns the limits that objectives set for a series.
func boundsOf(objectives []experiment.Objective, key experiment.Key) []trendBound {
	bounds := []trendBound{}
	for i := range objectives {
		o := &objectives[i]
		if !o.Applies(key) {
			continue
		}
		if o.Max != nil {
			bounds = append(bounds, trendBound{"max", o.Max.Value, o.Max.Text, o.Name})
		}
		if o.Min != nil {
			bounds = append(bounds, trendBound{"min", o.Min.Value, o.Min.Text, o.Name})
		}
	}
	return bounds
}

// read returns the medians of a run, which is opened if it was not yet, or has
// been written since.
func (c *medianCache) read(e experiment.Entry) (*runMedians, error) {
	if e.Info == nil {
		return nil, e.Err
	}
	info, err := os.Stat(filepath.Join(e.Dir, "run.json"))
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	known := c.runs[e.Dir]
	c.mu.Unlock()
	// A partial run grows without its run.json being written.
	if known != nil && known.written.Equal(info.ModTime()) && e.State == experiment.Complete {
		return known, nil
	}
	run, err := openKept(e.Dir)
	if err != nil {
		return nil, err
	}
	m, err := mediansOf(run)
	if err != nil {
		return nil, err
	}
	m.written = info.ModTime()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs == nil {
		c.runs = make(map[string]*runMedians)
	}
	c.runs[e.Dir] = m
	return m, nil
}

// mediansOf returns the medians that hone compare prints for a run.
func mediansOf(run *experiment.Run) (*runMedians, error) {
	env := run.Environment
	m := &runMedians{
		run: trendRun{
			ID: run.ID, Created: run.Created, State: run.State, Revision: compare.RevisionText(run.Head), Go: env.Go,
			Machine: strings.TrimPrefix(env.CPU+", "+env.GOOS+"/"+env.GOARCH, ", "),
		},
		values: make(map[experiment.Key]trendValue), better: make(map[experiment.Key]experiment.Direction),
	}
	column := run.Column(run.ID, experiment.Head)
	if len(column.Results) == 0 {
		return m, nil
	}
	tables, err := experiment.Tabulate([]experiment.Column{column}, run.Units())
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		pkg := ""
		for _, c := range t.Config {
			if c.Key == "pkg" {
				pkg = c.Value
			}
		}
		for _, r := range t.Rows {
			key := experiment.Key{Package: pkg, Benchmark: r.Benchmark, Unit: t.Unit}
			cell := r.Cells[0]
			if _, twice := m.values[key]; !twice {
				m.order = append(m.order, key)
			}
			s := cell.Summary
			m.values[key] = trendValue{finiteOrNil(s.Center), finiteOrNil(s.Lo), finiteOrNil(s.Hi), cell.Samples()}
			m.better[key] = experiment.DirectionOf(t.Unit, run.Units())
		}
	}
	return m, nil
}
