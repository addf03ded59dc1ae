package runs_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/experiment/objective"
	"github.com/hone-go/hone/internal/server/runs"
)

func TestKeptLoad(t *testing.T) {
	root := t.TempDir()
	create := func(l *experiment.Load) *experiment.Writer {
		w, err := experiment.Create(root, experiment.Info{})
		if err == nil && l != nil {
			err = w.SetLoad(l)
		}
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	of := create(&experiment.Load{Benchmark: "GET/x", Sides: []experiment.LoadSide{{Side: "head"}}})
	none, damaged := create(nil), create(nil)
	if err := os.WriteFile(filepath.Join(damaged.Dir(), "load.json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	k, err := runs.Open(t.Context(), root, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := k.Load(t.Context(), of.ID()); err != nil || l.ID != of.ID() || l.Benchmark != "GET/x" || len(l.Sides) != 1 {
		t.Errorf("%v, %+v", err, l)
	}
	if about, err := k.Run(t.Context(), of.ID()); err != nil || !about.Load {
		t.Errorf("%v, %+v", err, about)
	}
	if about, err := k.Run(t.Context(), none.ID()); err != nil || about.Load {
		t.Errorf("%v, %+v", err, about)
	}
	for _, name := range []string{none.ID(), "20000101"} {
		if _, err := k.Load(t.Context(), name); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A damaged file is not one that is missing.
	if _, err := k.Load(t.Context(), damaged.ID()); err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "load.json:1: unexpected end") {
		t.Errorf("damaged: %v", err)
	}
}

// TestKeptVerdicts: a run with a base has the verdict that its page has, others none.
func TestKeptVerdicts(t *testing.T) {
	const against = "20261121-174823-9f3c"
	none := func(context.Context) []objective.Objective { return nil }
	k, err := runs.Open(t.Context(), filepath.Join("..", "..", "..", "cmd", "hone", "testdata", "runs"), nil, none, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := k.Verdicts(t.Context(), 10)
	if err != nil || len(got.Verdicts) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	v := got.Verdicts[against]
	if v.Changed == "" || !strings.HasPrefix(v.Summary, v.Changed) || v.Worse+v.Better == 0 {
		t.Errorf("%+v", v)
	}
	page, err := k.Compare(t.Context(), []string{against}, "json")
	if err != nil || !strings.Contains(string(page), `"summary": "`+v.Summary+`"`) {
		t.Errorf("the page has no %q: %v", v.Summary, err)
	}
}
