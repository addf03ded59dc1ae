package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/profile"
)

// testProfile has two sample types and three functions.
func testProfile() *profile.Profile {
	return &profile.Profile{
		SampleTypes: []profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Strings:     []string{"", "main.run", "main.(*T).Run", "runtime.mallocgc"},
		Functions:   []profile.Function{{Name: 1}, {Name: 2}, {Name: 3}, {Name: 1}},
		Stacks:      []profile.Stack{{}},
		Values:      [][]int64{{3}, {300}},
	}
}

// calls returns a Session that writes each report as the options that differ
// from the default, and what it was asked for.
func calls(in string) (s *Session, out, errs *bytes.Buffer) {
	out, errs = new(bytes.Buffer), new(bytes.Buffer)
	return &Session{
		Profile: testProfile(),
		Config:  DefaultConfig(),
		Header: func(p *profile.Profile, o report.Options) ([]string, error) {
			return []string{"File: app", "Type: cpu"}, nil
		},
		Generate: func(ctx context.Context, w io.Writer, p *profile.Profile, command, param string, o report.Options) error {
			if o.Focus == "(" {
				return errors.New("parsing focus regexp: missing )")
			}
			_, err := fmt.Fprintln(w, describe(command, param, o))
			return err
		},
		In: strings.NewReader(in), Out: out, Err: errs,
		Getenv: func(string) string { return "" },
	}, out, errs
}

func describe(command, param string, o report.Options) string {
	b := []string{command}
	if param != "" {
		b = append(b, "param="+param)
	}
	got, def := Config{Options: o}, DefaultConfig()
	for _, name := range variableNames() {
		v, _ := got.Get(name)
		if d, _ := def.Get(name); v != d && name != "compact_labels" {
			b = append(b, name+"="+v)
		}
	}
	return strings.Join(b, " ")
}

const entering = "File: app\nType: cpu\nEntering interactive mode (type \"help\" for commands, \"o\" for options)\n"

func TestSession(t *testing.T) {
	tests := []struct {
		name, in string
		out      string // without prompts
		err      string // after the greeting
	}{
		{name: "nothing", in: ""},
		{name: "blank lines", in: "\n  \n\t\n"},
		{name: "top has ten", in: "top\n", out: "top nodecount=10\n"},
		{name: "last line without newline", in: "top", out: "top nodecount=10\n"},
		{name: "count after the name", in: "top5\n text007\n", out: "top nodecount=5\ntext nodecount=7\n"},
		{name: "count as argument", in: "top 5\ntree 0\n", out: "top nodecount=5\ntree nodecount=0\n"},
		{name: "filters", in: "top a -b c -d -cum\n", out: "top sort=cum nodecount=10 focus=a|c ignore=b|d\n"},
		{name: "filters of labels", in: "tags a -b\n", out: "tags tagfocus=a tagignore=b\n"},
		{name: "filters do not last", in: "top a\ntree\n", out: "top nodecount=10 focus=a\ntree\n"},
		{name: "filters replace", in: "focus=x\ntop a\ntop\n", out: "top nodecount=10 focus=a\ntop nodecount=10 focus=x\n"},
		{name: "param", in: "list re x -y\nlist5\n", out: "list param=re focus=x ignore=y\nlist param=5\n"},
		{name: "param missing", in: "peek\n", err: "command peek requires an argument\n"},
		{name: "minus alone", in: "tree - --cum\n", out: "tree sort=cum\n"},
		{name: "assignment in a command is a filter", in: "top a=b\n", out: "top nodecount=10 focus=a=b\n"},
		{name: "unknown", in: "foo\nfoo7\n//: x\n",
			err: "unrecognized command: \"foo\"\nunrecognized command: \"foo\"\nunrecognized command: \"//:\"\n"},
		{name: "did you mean", in: "focus foo\nfocus10\ngranularity lines\n",
			err: "did you mean: focus=foo\ndid you mean: focus=10\ndid you mean: granularity=lines\n"},
		{name: "value wanted", in: "focus\nsample_index\n",
			err: "please specify a value, e.g. focus=<val>\nplease specify a value, e.g. sample_index=<val>\n"},
		{name: "assignments", in: " nodecount = 3 //: [a]\nunit=ms\nmean\nlines\ncum\ntree\n",
			out: "tree unit=ms mean=true sort=cum nodecount=3 granularity=lines\n"},
		{name: "bad values", in: "nodecount=x\nmean=maybe\nsort=x\ncum=0\n",
			err: "strconv.Atoi: parsing \"x\": invalid syntax\nillegal value \"maybe\" for bool variable\n" +
				"invalid \"sort\" value \"x\"\nunknown config field \"cum\"\n"},
		{name: "sample types", in: "samples\ntree\ntotal_cpu\ntree\nmean_cpu\ntree\ntotal_samples\ntree\n",
			out: "tree sample_index=samples\ntree sample_index=cpu\ntree mean=true sample_index=cpu\ntree sample_index=samples\n"},
		{name: "sample index", in: "sample_index=0\ntree\nsample_index=\ntree\nsample_index=7\nsample_index=x\n",
			out: "tree sample_index=samples\ntree sample_index=cpu\n",
			err: "sample_index 7 is outside the range [0..1]\nsample_index \"x\" must be one of: [samples cpu]\n"},
		{name: "clear", in: "focus=a\nignore=b\nhide=c\ntagfocus=d\ntagignore=e\nshow=f\ntree\n:\ntree\n",
			out: "tree focus=a ignore=b hide=c show=f tagfocus=d tagignore=e\ntree show=f\n"},
		{name: "report fails", in: "focus=(\ntop\nfocus=\ntop\n",
			out: "top nodecount=10\n", err: "parsing focus regexp: missing )\n"},
		{name: "quit", in: "q\ntop\n"},
		{name: "exit", in: "exit\ntop\n"},
		{name: "redirection without a file", in: "top >\n", err: "unexpected end of line after >\n"},
		{name: "redirection to nowhere", in: "top > /no/such/dir/f\n", err: "open /no/such/dir/f: no such file or directory\n"},
		{name: "help on nothing", in: "help bogus\n", err: "Unknown command: bogus\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, out, errs := calls(tt.in)
			if err := s.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := strings.ReplaceAll(out.String(), prompt, ""); got != tt.out {
				t.Errorf("out:\n%swant:\n%s", got, tt.out)
			}
			if got, ok := strings.CutPrefix(errs.String(), entering); !ok || got != tt.err {
				t.Errorf("err:\n%swant:\n%s", errs, entering+tt.err)
			}
			if s.Config != DefaultConfig() {
				t.Error("the shell changed its session's configuration")
			}
		})
	}
}

func TestSessionOptions(t *testing.T) {
	s, _, errs := calls("o\nnodecount=5\nlines\nfocus=x\noptions\n")
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := strings.TrimPrefix(errs.String(), entering)
	for _, want := range []string{
		"  call_tree                 = false                \n",
		"  compact_labels            = true                 \n",
		"  granularity               = (default)            //: [addresses | filefunctions | files | functions | lines]\n",
		"  granularity               = lines                //: [addresses | filefunctions | files | functions | lines]\n",
		"  focus                     = \"\"                   \n",
		"  focus                     = x                    \n",
		"  nodecount                 = -1                   //: default\n",
		"  nodecount                 = 5                    \n",
		"  sample_index              = cpu                  //: [samples | cpu]\n",
		"  sort                      = flat                 //: [cum | flat]\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("options lack %q:\n%s", want, text)
		}
	}
	// What is printed can be entered, but for what stands for nothing.
	sh := &shell{Session: s, config: DefaultConfig(), types: sampleTypes(s.Profile)}
	for line := range strings.Lines(sh.options()) {
		if strings.Contains(line, "(default)") || strings.Contains(line, `""`) {
			continue
		}
		if done, err := sh.assign(strings.TrimSpace(line)); !done || err != nil {
			t.Errorf("cannot enter %q: %v", line, err)
		}
	}
}

func TestSessionHelp(t *testing.T) {
	s, _, errs := calls("help\n")
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range helpWords() {
		if !strings.Contains(errs.String(), " "+name+" ") && !strings.Contains(errs.String(), "("+name+", one of)") {
			t.Errorf("help does not mention %s", name)
		}
		s, _, errs := calls("help " + name + "\n")
		if err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		text := strings.TrimPrefix(errs.String(), entering)
		if strings.Contains(text, "Unknown") || len(text) < 20 {
			t.Errorf("help %s says %q", name, text)
		}
	}
}

func TestGreeting(t *testing.T) {
	s, _, errs := calls("")
	s.Profile.Values[1][0] = 0
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "File: app\nType: cpu\nNo samples were found with the default sample value type.\n" +
		"Try \"sample_index\" command to analyze different sample values.\nEntering"
	if !strings.HasPrefix(errs.String(), want) {
		t.Errorf("greeting:\n%s", errs)
	}

	s, _, errs = calls("")
	s.Header = func(*profile.Profile, report.Options) ([]string, error) { return nil, errors.New("no") }
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(errs.String(), "Entering") {
		t.Errorf("greeting:\n%s", errs)
	}
}

func TestEmptyProfile(t *testing.T) {
	s, _, errs := calls("o\nsample_index=\nsample_index=0\n")
	s.Profile = &profile.Profile{Strings: []string{""}}
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(errs.String(), "invalid sample_index \"\"\n") {
		t.Errorf("got\n%s", errs)
	}
}

func TestRedirection(t *testing.T) {
	t.Chdir(t.TempDir())
	s, out, errs := calls("top >a\ntop > b\nproto\nproto\ncallgrind\noutput=c\ntree\nsvg >d.svg\noutput=\nflame\ndot\n")
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	files := []struct{ name, content string }{
		{"a", "top nodecount=10\n"},
		{"b", "top nodecount=10\n"},
		{"profile001.pb.gz", "proto\n"},
		{"profile002.pb.gz", "proto\n"},
		{"profile001.callgraph.out", "callgrind\n"},
		{"c", "tree\n"},
		{"d.svg", "svg\n"},
		{"profile001.html", "flame\n"},
	}
	want := entering
	for _, f := range files {
		got, err := os.ReadFile(f.name)
		if err != nil || string(got) != f.content {
			t.Errorf("%s: %q, %v; want %q", f.name, got, err, f.content)
		}
		want += "Generating report in " + f.name + "\n"
	}
	if errs.String() != want {
		t.Errorf("err:\n%swant:\n%s", errs, want)
	}
	if got := strings.ReplaceAll(out.String(), prompt, ""); got != "dot\n" {
		t.Errorf("out: %q", got)
	}
}

func TestViewers(t *testing.T) {
	s, out, errs := calls("web\nweblist re\nkcachegrind\nweb >w.svg\n")
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	var seen []string
	s.Getenv = func(name string) string {
		return map[string]string{"BROWSER": "my browser"}[name]
	}
	s.View = func(file string, programs []string) error {
		data, err := os.ReadFile(file)
		seen = append(seen, filepath.Base(file)+": "+programs[0]+": "+string(data))
		return err
	}
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "pprof001.svg: my browser: web\n|pprof001.html: my browser: weblist param=re\n|pprof001.grind: kcachegrind: kcachegrind\n"
	if got := strings.Join(seen, "|"); got != want {
		t.Errorf("viewers got\n%s\nwant\n%s\n%s%s", got, want, out, errs)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "pprof*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := os.Stat("w.svg"); err != nil {
		t.Error(err)
	}
}

func TestOutletRun(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "browser")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ncp \"$2\" \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	o := Outlet{Out: io.Discard, Err: io.Discard, Getenv: func(name string) string {
		if name == "BROWSER" {
			return script + " " + filepath.Join(dir, "copy")
		}
		return ""
	}}
	generate := func(ctx context.Context, w io.Writer) error {
		_, err := io.WriteString(w, "graph")
		return err
	}
	if err := o.Deliver(t.Context(), "web", "", generate); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "copy")); string(got) != "graph" {
		t.Errorf("the viewer read %q, %v", got, err)
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	t.Setenv("PATH", dir)
	if err := o.Deliver(t.Context(), "eog", "", generate); err == nil || !strings.Contains(err.Error(), "tried eog") {
		t.Errorf("error %v, want one about eog", err)
	}
	o.Close()
}

func TestOutletBinaryToPipe(t *testing.T) {
	var out bytes.Buffer
	o := Outlet{Out: &out, Err: io.Discard}
	if err := o.Deliver(t.Context(), "proto", "", func(ctx context.Context, w io.Writer) error {
		_, err := io.WriteString(w, "bytes")
		return err
	}); err != nil || out.String() != "bytes" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

// TestOutletFailure checks that a report that fails leaves nothing behind, and
// that a long one is not held in memory.
func TestOutletFailure(t *testing.T) {
	var out, errs bytes.Buffer
	o := Outlet{Out: &out, Err: &errs}
	file := filepath.Join(t.TempDir(), "f")
	boom := errors.New("boom")
	for _, output := range []string{"", file} {
		err := o.Deliver(t.Context(), "top", output, func(ctx context.Context, w io.Writer) error {
			io.WriteString(w, "half a report")
			return boom
		})
		if !errors.Is(err, boom) || out.Len() > 0 || errs.Len() > 0 {
			t.Errorf("error %v, out %q, err %q", err, &out, &errs)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a failed report left a file")
	}
	err := o.Deliver(t.Context(), "raw", "", func(ctx context.Context, w io.Writer) error {
		for range 3 * holdBack / 1000 {
			if _, err := w.Write(make([]byte, 1000)); err != nil {
				return err
			}
		}
		if out.Len() < holdBack {
			t.Error("a long report is held back whole")
		}
		return nil
	})
	if want := 3 * holdBack / 1000 * 1000; err != nil || out.Len() != want {
		t.Errorf("got %d bytes, %v; want %d", out.Len(), err, want)
	}
}

// TestOutletAbandons checks that a report that ignores its context is given up.
func TestOutletAbandons(t *testing.T) {
	var out bytes.Buffer
	o := Outlet{Out: &out, Err: io.Discard}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	release, late := make(chan struct{}), make(chan error)
	err := o.Deliver(ctx, "top", "", func(ctx context.Context, w io.Writer) error {
		<-release
		_, err := io.WriteString(w, "late")
		late <- err
		return nil
	})
	close(release)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if err := <-late; err == nil || out.Len() > 0 {
		t.Errorf("late output %q, %v", &out, err)
	}
}

func TestPrograms(t *testing.T) {
	env := func(string) string { return "x" }
	none := func(string) string { return "" }
	tests := []struct {
		goos   string
		getenv func(string) string
		want   string
	}{
		{"linux", none, "chrome google-chrome chromium firefox sensible-browser"},
		{"linux", env, "x chrome google-chrome chromium firefox sensible-browser xdg-open"},
		{"darwin", none, "/usr/bin/open"},
		{"windows", env, "x cmd /c start"},
	}
	for _, tt := range tests {
		if got := strings.Join(browserViewer.programs(tt.goos, tt.getenv), " "); got != tt.want {
			t.Errorf("on %s: %s, want %s", tt.goos, got, tt.want)
		}
	}
}
