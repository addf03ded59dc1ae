package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server/runs"
	"github.com/hone-go/hone/internal/shell"
)

// keptIn opens the runs of a module for a command line of hone ui.
func keptIn(t *testing.T, args ...string) (*runs.Kept, *shell.Invocation) {
	t.Helper()
	a := &app{stderr: new(sharedBuffer), getenv: func(string) string { return "" }}
	inv, err := shell.ParseVerb("ui", args, a.stderr)
	if err != nil {
		t.Fatal(err)
	}
	k, err := keptRuns(t.Context(), a, inv, false, runsRoot())
	if err != nil {
		t.Fatal(err)
	}
	return k, inv
}

func TestUIStartPage(t *testing.T) {
	dir := inModule(t)
	elsewhere := filepath.Join(t.TempDir(), "other")
	if err := os.CopyFS(elsewhere, os.DirFS(filepath.Join(dir, headRun))); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "runs"},
		{[]string{"latest"}, "run?run=" + againstRun},
		{[]string{baseRun, headRun}, "compare?run=" + baseRun + "&run=" + headRun},
		{[]string{elsewhere}, "run?run=" + headRun},
		{[]string{"latest:Count/n=20/cpu"}, ""},
		{[]string{"latest", "go.mod"}, ""},
		{[]string{"-base", "latest:base/Hash/cpu", "latest"}, ""},
	} {
		_, inv := keptIn(t, test.args...)
		if got := runsPage(t.Context(), runsRoot(), inv); got != test.want {
			t.Errorf("hone ui %s starts with %q, want %q", strings.Join(test.args, " "), got, test.want)
		}
	}
}

// A page may name runs by their ids, and nothing else of the disk.
func TestUIRunNames(t *testing.T) {
	dir := inModule(t)
	k, _ := keptIn(t)
	for _, name := range []string{baseRun, "latest", "latest~1", againstRun[:12]} {
		if _, err := k.Run(t.Context(), name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", ".", "..", dir, filepath.Join(dir, baseRun), "go.mod", "2099", "localhost", "./" + baseRun} {
		if run, err := k.Run(t.Context(), name); err == nil {
			t.Errorf("%q is taken for %s", name, run.Dir)
		}
	}
}

// What the page says is what hone compare -json prints, and its tables' texts.
func TestUICompare(t *testing.T) {
	inModule(t)
	k, _ := keptIn(t)
	body, err := k.Compare(t.Context(), []string{againstRun + ":base", headRun}, "json")
	if err != nil {
		t.Fatal(err)
	}
	printed := new(strings.Builder)
	a := &app{stdout: printed, stderr: new(sharedBuffer), getenv: func(string) string { return "" }}
	if err := runCompare(t.Context(), a, []string{"-json", againstRun + ":base", headRun}); err != nil {
		t.Fatal(err)
	}
	var page, command map[string]any
	if err := json.Unmarshal(body, &page); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(printed.String()), &command); err != nil {
		t.Fatal(err)
	}
	shown := page["shown"].([]any)[0].([]any)
	compared := page["comparisons"].([]any)[0].(map[string]any)["comparisons"].([]any)
	if len(shown) != len(compared) || shown[0].(map[string]any)["unit"] != "sec/op" {
		t.Errorf("%d texts for %d comparisons: %v", len(shown), len(compared), shown)
	}
	if page["command"] != "hone compare "+againstRun+":base "+headRun {
		t.Errorf("command %q", page["command"])
	}
	delete(page, "shown")
	delete(page, "command")
	got, _ := json.Marshal(page)
	want, _ := json.Marshal(command)
	if string(got) != string(want) {
		t.Errorf("the page has\n%s\nand hone compare\n%s", got, want)
	}
}

// A trend has the objectives of hone.toml, and a run that changed is read again.
func TestUITrend(t *testing.T) {
	dir := inModule(t)
	write(t, "hone.toml", "[[objective]]\nbenchmark = \"^Hash$\"\nmetric = \"ns/op\"\nmax = \"2us\"\n")
	os.Mkdir(filepath.Join(dir, "20200101-000000-dead"), 0o777)
	described := filepath.Join(dir, headRun, "run.json")
	info, err := os.ReadFile(described)
	if err != nil {
		t.Fatal(err)
	}
	write(t, described, strings.Replace(string(info), `"head": {`, `"head": {"branch": "quick", "subject": "words: split at spaces",`, 1))
	k, _ := keptIn(t)
	read := func() *api.Trend {
		t.Helper()
		v, err := k.Trend(t.Context(), runs.TrendQuery{Benchmark: "Hash-2", Unit: "sec/op", Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	got := read()
	if len(got.Runs) != 3 || got.Runs[0].ID != baseRun || len(got.Series) != 1 || len(got.Series[0].Points) != 3 || got.Series[0].Better != -1 {
		t.Fatalf("trend %+v", got)
	}
	if r := got.Runs[1]; r.ID != headRun || r.Branch != "quick" || r.Subject != "words: split at spaces" {
		t.Errorf("run %+v", r)
	}
	if b := got.Series[0].Bounds; len(b) != 1 || b[0].Kind != "max" || b[0].Value != 2e-6 || b[0].Text != "2us" {
		t.Errorf("bounds %+v", b)
	}
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "20200101-000000-dead") {
		t.Errorf("warnings %q", got.Warnings)
	}
	if err := os.RemoveAll(filepath.Join(dir, headRun)); err != nil {
		t.Fatal(err)
	}
	if got := read(); len(got.Runs) != 2 || got.Series[0].Points[1].Run != 1 {
		t.Errorf("after a run was removed: %+v", got)
	}
}
