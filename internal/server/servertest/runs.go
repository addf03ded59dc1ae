package servertest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/server/runs"
	"github.com/hone-go/hone/profile"
)

// Runs are kept runs that answer with what they are asked, so that a test sees it.
type Runs struct{ Loads atomic.Int32 }

func (*Runs) List(context.Context) (*api.RunList, error) {
	return &api.RunList{Dir: "a"}, nil
}

func (*Runs) Run(_ context.Context, name string) (*api.RunAbout, error) {
	switch name {
	case "missing":
		return nil, fmt.Errorf("no run %s: %w", name, fs.ErrNotExist)
	case "broken":
		return nil, errors.New("run.json:1: no JSON")
	}
	return &api.RunAbout{ListedRun: api.ListedRun{ID: name}}, nil
}

func (*Runs) Load(_ context.Context, name string) (*api.RunLoad, error) {
	if name == "missing" {
		return nil, fmt.Errorf("no run %s: %w", name, fs.ErrNotExist)
	}
	return &api.RunLoad{ID: name}, nil
}

func (*Runs) Compare(_ context.Context, names []string, format string) ([]byte, error) {
	return []byte(format + ": " + strings.Join(names, " ")), nil
}

func (*Runs) Verdicts(_ context.Context, limit int) (*api.RunVerdicts, error) {
	return &api.RunVerdicts{Verdicts: map[string]api.RunVerdict{"a": {Summary: fmt.Sprint(limit)}}}, nil
}

func (*Runs) Trend(_ context.Context, of runs.TrendQuery) (*api.Trend, error) {
	return &api.Trend{Warnings: []string{fmt.Sprintf("%+v", of)}}, nil
}

func (f *Runs) Profile(_ context.Context, name string) (reports.Source, error) {
	id, rest, _ := strings.Cut(name, ":")
	if id != "a" {
		return reports.Source{}, fmt.Errorf("no run %s: %w", id, fs.ErrNotExist)
	}
	rest = strings.TrimPrefix(rest, "Benchmark") // another way to name the same
	return reports.Source{ID: id + ":" + rest, Name: id + ":" + rest, Load: func(context.Context) (*profile.Profile, error) {
		f.Loads.Add(1)
		return &profile.Profile{SampleTypes: []profile.ValueType{{Type: "cpu", Unit: "nanoseconds"}}, Values: [][]int64{{}}, Strings: []string{""}}, nil
	}}, nil
}

// NewRuns returns a server of kept runs, without any if they are nil.
func NewRuns(t *testing.T, runs *Runs) *Site {
	return NewSite(t, func(c *Config) {
		if runs != nil {
			c.Runs = runs
		}
	})
}

// Ask sends a request.
func Ask(s *Site, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "http://"+Host+path, nil)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}
