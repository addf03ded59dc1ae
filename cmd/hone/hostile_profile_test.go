package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/hostile"
	"github.com/hone-go/hone/internal/regress"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

// notOutputs are the flags without a value that don't choose what a verb prints. Every other
// one does, so that a new one has to be here or in outputs.
var notOutputs = strings.Fields(`add agent again all_frames alloc_objects alloc_space allow-anyone allow-plaintext asan benchmem body-template
	call_tree check cloud-profiler-proxy collapse compact_labels compiler contentions cum dirty drop_negative flat functions h2 idle insecure
	intel_syntax inuse_objects inuse_space inverted mean mean_delay measure-unchanged mine msan n no-keepalive no_browser noinlines normalize
	poisson race relative_percentages settings short system total_delay trim untested up y yes`)

// An output is what a command line prints. In its arguments, P is a hostile profile, Q is the
// same with other values, W is one of wall-clock time, B and C are results of benchmarks, R is
// the folder of a run, S is a server that has P, K selects it there, and G is the address of a
// server that has found a regression, and whose target of notifications answers.
type output struct {
	form hostile.Form
	args string
}

// outputs has a command line for each verb and each flag that chooses what it prints.
var outputs = map[string]output{
	"pprof": {hostile.Lines, "pprof -top P"}, "pprof -json": {hostile.JSON, "pprof -json -top P"}, "pprof -lines": {hostile.Lines, "pprof -lines -top P"},
	"pprof -files": {hostile.Lines, "pprof -files -top P"}, "pprof -filefunctions": {hostile.Lines, "pprof -filefunctions -top P"},
	"pprof -addresses": {hostile.Lines, "pprof -addresses -top P"}, "pprof -showcolumns": {hostile.Lines, "pprof -showcolumns -lines -top P"},

	"top": {hostile.Lines, "top P"}, "top -json": {hostile.JSON, "top -json P"}, "tree": {hostile.Lines, "tree P"}, "tree -json": {hostile.JSON, "tree -json P"},
	"peek": {hostile.Lines, "peek main P"}, "peek -json": {hostile.JSON, "peek -json main P"},
	"list": {hostile.Words, "list main P"}, "list -json": {hostile.JSON, "list -json main P"},
	"disasm": {hostile.Words, "disasm main P"}, "disasm -json": {hostile.Words, "disasm -json main P"},
	"weblist": {hostile.HTML, "weblist -output=- main P"}, "weblist -json": {hostile.JSON, "weblist -json main P"},
	"traces": {hostile.Lines, "traces P"}, "traces -json": {hostile.JSON, "traces -json P"}, "tags": {hostile.Lines, "tags P"}, "tags -json": {hostile.JSON, "tags -json P"},
	"raw": {hostile.Lines, "raw P"}, "raw -json": {hostile.JSON, "raw -json P"}, "comments": {hostile.Words, "comments P"}, "comments -json": {hostile.JSON, "comments -json P"},
	"proto": {hostile.Pprof, "proto -output=- P"}, "proto -json": {hostile.Words, "proto -json P"},
	"topproto": {hostile.Pprof, "topproto -output=- P"}, "topproto -json": {hostile.Words, "topproto -json P"},
	"dot": {hostile.DOT, "dot P"}, "dot -json": {hostile.JSON, "dot -json P"}, "callgrind": {hostile.Lines, "callgrind P"}, "callgrind -json": {hostile.JSON, "callgrind -json P"},
	"svg": {hostile.SVG, "svg -output=- P"}, "svg -json": {hostile.JSON, "svg -json P"}, "png": {hostile.Picture, "png -output=- P"}, "png -json": {hostile.JSON, "png -json P"},
	"gif": {hostile.Picture, "gif -output=- P"}, "gif -json": {hostile.JSON, "gif -json P"}, "pdf": {hostile.PDF, "pdf -output=- P"}, "pdf -json": {hostile.JSON, "pdf -json P"},
	"ps": {hostile.PS, "ps -output=- P"}, "ps -json": {hostile.JSON, "ps -json P"},

	"flame": {hostile.HTML, "flame -o - P"}, "flame -folded": {hostile.Lines, "flame -folded P"}, "flame -format=html": {hostile.HTML, "flame -format=html -base Q P"},
	"flame -json": {hostile.JSON, "flame -json -o - P"}, "flame -format=svg": {hostile.SVG, "flame -format=svg P"}, "flame -format=folded": {hostile.Lines, "flame -format=folded P"},
	"flame -format=json": {hostile.JSON, "flame -format=json P"}, "flame -format=speedscope": {hostile.JSON, "flame -format=speedscope P"},
	"flame -format=firefox": {hostile.JSON, "flame -format=firefox P"},

	"diff": {hostile.Lines, "diff Q P"}, "diff -json": {hostile.JSON, "diff -json Q P"}, "diff -csv": {hostile.CSV, "diff -csv Q P"}, "diff -flame": {hostile.HTML, "diff -flame Q P"},
	"diff -lines": {hostile.Lines, "diff -lines Q P"}, "diff -files": {hostile.Lines, "diff -files Q P"}, "diff -filefunctions": {hostile.Lines, "diff -filefunctions Q P"},
	"diff -addresses": {hostile.Lines, "diff -addresses Q P"}, "diff -showcolumns": {hostile.Lines, "diff -showcolumns Q P"},

	"compare": {hostile.CI, "compare B C"}, "compare -v": {hostile.CI, "compare -v B C"}, "compare -csv": {hostile.CSV, "compare -csv B C"}, "compare -json": {hostile.JSON, "compare -json B C"},
	"compare -markdown": {hostile.Markdown, "compare -markdown B C"}, "compare -html": {hostile.HTML, "compare -html B C"},
	"check": {hostile.CI, "check -base B C"}, "check -v": {hostile.CI, "check -v -base B C"}, "check -json": {hostile.JSON, "check -json -base B C"},
	"runs": {hostile.CI, "runs -dir R"}, "runs -json": {hostile.JSON, "runs -json -dir R"},

	"wall": {hostile.CI, "wall W"}, "wall -csv": {hostile.CSV, "wall -csv W"}, "wall -json": {hostile.JSON, "wall -json W"},

	"query": {hostile.Lines, "query S -top K"}, "query -csv": {hostile.CSV, "query S -csv -by service -top K"}, "query -json": {hostile.JSON, "query S -json -top K"},
	"query -series": {hostile.CSV, "query S -series -by note -csv K"}, "query -history": {hostile.CSV, "query S -history -csv K"}, "query -endpoints": {hostile.CSV, "query S -endpoints -csv K"},
	"query -records": {hostile.CSV, "query S -records -csv K"}, "query -labels": {hostile.CSV, "query S -labels -csv K"},

	"regressions": {hostile.Lines, "regressions -server=G"}, "regressions -all": {hostile.Lines, "regressions -all -server=G"},
	"regressions -notify-test": {hostile.Lines, "regressions -notify-test -server=G"},
	"regressions -fail":        {hostile.Lines, "regressions -fail -server=G"}, "regressions -json": {hostile.JSON, "regressions -json -server=G"},
}

// notOfProfiles are the verbs that print no text of a profile or a benchmark given to them, and why.
var notOfProfiles = map[string]string{
	"ui":     "a server: its routes are in TestHostileText of internal/server/reports",
	"bench":  "measures, and prints what compare prints",
	"advise": "needs source: its forms are in TestHostile of internal/advice",
	"init":   "measures, and prints names of the module's benchmarks as TOML: TestObjectives of internal/scaffold",
	"report": "posts what compare -markdown prints",
	"fix":    "takes findings", "tune": "takes packages", "prove": "takes patches", "mcp": "a server: TestNamesAreData of internal/server/mcp", "lsp": "a server: TestNamesAreData of internal/lsp", "pgo": "prints counts and the names of the caller's packages",
	"load": "takes addresses", "gc": "takes programs", "serve": "a server", "push": "prints counts", "token": "no profiles", "session": "no profiles", "store": "no profiles", "tour": "an example of its own",
	"doctor": "no profiles", "completion": "no profiles", "version": "no profiles",
	// These hand a file to a program; what is in the file is that of the named report.
	"eog": "svg", "evince": "pdf", "gv": "ps", "kcachegrind": "callgrind", "web": "svg", "text": "top",
}

// TestOutputs has every verb and flag of the program that prints something in outputs.
func TestOutputs(t *testing.T) {
	seen := map[string]bool{}
	need := func(verb, flag string) {
		name := strings.TrimSpace(verb + " " + flag)
		seen[name] = true
		if _, ok := outputs[name]; !ok {
			t.Errorf("hone %s isn't given a hostile profile: add it to outputs", name)
		}
	}
	pprof := flagsOf(t, "pprof", nil)
	for _, v := range allVerbs() {
		if notOfProfiles[v.name] != "" {
			seen[v.name] = true
			continue
		}
		need(v.name, "")
		c := &completion{app: &app{getenv: os.Getenv}, ctx: t.Context(), verbs: allVerbs()}
		c.flags([]string{v.name}).VisitAll(func(f *flag.Flag) {
			if b, ok := f.Value.(interface{ IsBoolFlag() bool }); !ok || !b.IsBoolFlag() || slices.Contains(notOutputs, f.Name) {
				return
			}
			switch command := slices.Contains(shell.Commands(), f.Name); {
			case command && (v.name == "pprof" || v.name == "query"):
				// The same report as that of the verb.
				if notOfProfiles[f.Name] == "" {
					need(f.Name, "")
				}
			case command && v.name != "diff":
				// Another report's name beside the verb's is an error.
			case v.name != "pprof" && v.name != "diff" && slices.Contains(pprof, f.Name) && f.Name != "json" && f.Name != "csv":
				// Shapes all reports, as with hone pprof.
			default:
				need(v.name, "-"+f.Name)
			}
		})
		for _, value := range flagValues[v.name]["format"] {
			need(v.name, "-format="+value)
		}
	}
	for name := range outputs {
		if !seen[name] {
			t.Errorf("there is no hone %s", name)
		}
	}
}

// hostileInputs writes the files that outputs name, with bad in all of their texts, and returns
// what the letters stand for.
func hostileInputs(t *testing.T, bad string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{}
	for letter, times := range map[string]int64{"P": 1, "Q": 5, "W": 1} {
		p := hostile.Profile(bad, times)
		if letter == "W" {
			p.SampleTypes = []profile.ValueType{{Type: "wall", Unit: "nanoseconds"}, {Type: "intervals", Unit: "count"}}
			p.DefaultSampleType = "wall"
		}
		var b bytes.Buffer
		if err := p.Encode(&b); err != nil {
			t.Fatal(err)
		}
		files[letter] = filepath.Join(dir, letter+".pb.gz")
		write(t, files[letter], b.String())
	}
	files["R"] = filepath.Join(dir, "runs")
	run := filepath.Join(files["R"], "20250102-000000-beef")
	if err := os.MkdirAll(run, 0o777); err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(bad)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(run, "run.json"), strings.ReplaceAll(`{"schema": 1, "id": "20250102-000000-beef", "created": "2025-01-02T00:00:00Z", "state": "partial",
		"command": ["hone", BAD], "environment": {"cpu": BAD}, "head": {"name": BAD, "commit": BAD}, "base": {"name": BAD}, "notes": [BAD]}`, "BAD", string(quoted)))
	for letter, ns := range map[string]float64{"B": 500, "C": 900} {
		files[letter] = filepath.Join(dir, letter+".txt")
		write(t, files[letter], hostile.Benchmarks(bad, ns))
	}
	found := api.NewRegressions([]regress.Entry{{Regression: regress.Regression{
		ID: bad, Service: bad, Kind: bad, Type: bad, Unit: bad, Function: bad, Version: bad, New: []string{bad},
		Causes: []regress.Cause{{Function: bad}},
	}, State: regress.Open, Acknowledgement: regress.Acknowledgement{By: bad, Reason: bad}}})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/api/v1/notifications/test" {
			json.NewEncoder(w).Encode(api.NotificationTests{Tests: []api.NotificationTest{{Name: bad, Format: bad, Answer: bad, Status: http.StatusOK}}})
			return
		}
		json.NewEncoder(w).Encode(found)
	}))
	t.Cleanup(server.Close)
	files["G"] = server.URL
	return files
}

// TestHostileProfile gives every output a profile whose texts are syntax somewhere. It has to
// consist of the same parts as with plain texts, and terminals get nothing that they obey.
func TestHostileProfile(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "hone.toml", "[[objective]]\nbenchmark = \".\"\nmetric = \"sec/op\"\nmax = \"1ns\"\n")
	texts := append([]string{hostile.Plain}, hostile.Texts...)
	joined := len(texts)
	texts = append(texts, hostile.Joined()...)
	d := startServe(t, t.TempDir())
	inputs := make([]map[string]string, len(texts))
	for i, bad := range texts {
		inputs[i] = hostileInputs(t, bad)
		inputs[i]["S"], inputs[i]["K"] = "-server="+d.url, fmt.Sprintf(`cpu{service="s%d"}`, i)
		d.succeed("push", "-service", fmt.Sprint("s", i), "-kind", "cpu", "-time", "now", "-label", "note=x"+labelOf(bad), inputs[i]["P"])
	}
	drawn := []string{"svg", "pdf", "ps"} // for a quarter of a second each
	letter := regexp.MustCompile(`\b[A-Z]\b`)
	for name, o := range outputs {
		t.Run(name, func(t *testing.T) {
			var want []string
			for i, bad := range texts {
				switch {
				case o.form == hostile.Picture && i > 1, o.form != hostile.Picture && i > 0 && slices.Contains(drawn, name) != (i >= joined):
					continue
				case testing.Short() && i > 1 && i < joined && (i+len(o.args))%4 != 0: // other texts for each output
					continue
				}
				args := strings.Fields(letter.ReplaceAllStringFunc(o.args, func(s string) string { return inputs[i][s] }))
				var stdout, stderr, screen bytes.Buffer
				a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, getenv: os.Getenv}
				code := exitCode(t.Context(), a, args)
				got, err := hostile.Parts(o.form, stdout.String())
				switch {
				case i == 0 && o.form != hostile.Words && (code != exitOK && code != exitMissed || stdout.Len() == 0):
					t.Fatalf("exit code %d of plain texts: %s", code, stderr.String())
				case i == 0:
					want = got
				case err != nil:
					t.Errorf("%.100q: %v", bad, err)
				case !slices.Equal(got, want):
					t.Errorf("%.100q: %d parts, want %d: %s\n%.400q\n%s", bad, len(got), len(want), otherPart(got, want), stdout.String(), stderr.String())
				}
				on := shell.NewScreen(&screen)
				on.Write(stdout.Bytes())
				on.Write(stderr.Bytes())
				if r, obeyed := hostile.Obeyed(screen.String()); obeyed {
					t.Errorf("%.100q gives a terminal %q", bad, r)
				}
			}
		})
	}
}

// sameReports are commands of the shell that write what another one does.
var sameReports = map[string]string{"text": "top", "eog": "svg", "web": "svg", "evince": "pdf", "gv": "ps", "kcachegrind": "callgrind"}

// TestHostileShell has every command of the interactive shell write its report of a profile
// whose texts are syntax somewhere.
func TestHostileShell(t *testing.T) {
	t.Chdir(t.TempDir())
	want := map[string][]string{}
	texts := append([]string{hostile.Plain}, hostile.Joined()...)
	if testing.Short() {
		texts = texts[:2]
	}
	for _, bad := range texts {
		var in strings.Builder
		in.WriteString("options\n")
		for _, name := range shell.Commands() {
			param := ""
			if strings.Contains(shell.Usage(name), "usage: hone "+name+" RE") {
				param = "main"
			}
			fmt.Fprintf(&in, "%s %s >%s.out\n", name, param, name)
		}
		var out bytes.Buffer
		screen := shell.NewScreen(&out)
		a := &app{stdin: strings.NewReader(in.String()), stdout: screen, stderr: screen, getenv: os.Getenv}
		if code := exitCode(t.Context(), a, []string{"pprof", hostileInputs(t, bad)["P"]}); code != exitOK {
			t.Fatalf("%.100q: exit code %d: %s", bad, code, out.String())
		}
		if r, obeyed := hostile.Obeyed(out.String()); obeyed {
			t.Errorf("%.100q gives a terminal %q", bad, r)
		}
		for _, name := range shell.Commands() {
			o, ok := outputs[cmp.Or(sameReports[name], name)]
			if !ok {
				t.Fatalf("what %s writes has no form: add it to outputs", name)
			}
			text, err := os.ReadFile(name + ".out")
			if err != nil && o.form != hostile.Words {
				t.Errorf("%s: %v\n%s", name, err, out.String())
				continue
			}
			got, err := hostile.Parts(o.form, string(text))
			if bad == hostile.Plain {
				want[name] = got
			}
			if err != nil || !slices.Equal(got, want[name]) {
				t.Errorf("%s of %.100q: %v, %d parts, want %d: %s", name, bad, err, len(got), len(want[name]), otherPart(got, want[name]))
			}
			os.Remove(name + ".out")
		}
	}
}

// labelOf keeps of a text what a label may hold.
func labelOf(bad string) string {
	text := strings.ToValidUTF8(strings.ReplaceAll(bad, "\x00", ""), "?")
	return text[:min(len(text), 100)]
}

func otherPart(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return got[i] + " in place of " + want[i]
		}
	}
	return "one is the beginning of the other"
}
