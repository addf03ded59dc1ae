package advice

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/hostile"
)

// TestHostile writes findings in files, functions and profiles whose names are syntax somewhere.
func TestHostile(t *testing.T) {
	dir := t.TempDir()
	report := func(bad string) *Report {
		f := Finding{
			ID: "rule-1", Rule: "rule", Title: "a title" + bad, Why: "why" + bad, Package: "p" + bad, Function: "f" + bad, Symbol: "p.f" + bad,
			File: filepath.Join(dir, "x"+strings.ReplaceAll(bad, "..", "")+".go"), Line: 7, Text: "x()" + bad, Caveats: []string{"caveat" + bad},
		}
		f.Evidence.Subject, f.Evidence.CPU = "benchmark"+bad, &Share{Share: 0.5}
		f.Evidence.Compiler = []string{"escapes" + bad}
		return &Report{Findings: []Finding{f}, Unexamined: []string{"package" + bad}}
	}
	command := regexp.MustCompile(`^::warning file=[^:,\r\n]*,line=7,title=[^:,\r\n]*::[^\r\n]*$`)
	var want []string
	for _, bad := range append([]string{hostile.Plain}, hostile.Texts...) {
		var text, github, sarif bytes.Buffer
		r := report(bad)
		if err := r.WriteText(&text, dir); err != nil {
			t.Fatal(err)
		}
		got, err := hostile.Parts(hostile.Lines, text.String())
		if bad == hostile.Plain {
			want = got
		}
		// Long texts are wrapped.
		if err != nil || !slices.Equal(got, want) && len(bad) < 40 {
			t.Errorf("%.100q: %v, %d lines, want %d\n%.1000s", bad, err, len(got), len(want), text.String())
		}
		if err := r.WriteGitHub(&github, dir); err != nil {
			t.Fatal(err)
		}
		if line := strings.TrimSuffix(github.String(), "\n"); !command.MatchString(line) {
			t.Errorf("%.100q: the command is %.300q", bad, line)
		}
		if err := r.WriteSARIF(&sarif, dir, nil); err != nil {
			t.Fatal(err)
		}
		var log sarifLog
		if err := json.Unmarshal(sarif.Bytes(), &log); err != nil {
			t.Fatalf("%.100q: %v", bad, err)
		}
		result := log.Runs[0].Results[0]
		if regexp.MustCompile(`[^\\]\]\(`).MatchString(result.Message.Text) {
			t.Errorf("%.100q: a message has a link: %s", bad, result.Message.Text)
		}
		if u, err := url.Parse(result.Locations[0].Physical.Artifact.URI); err != nil || u.IsAbs() || u.Host != "" || u.RawQuery+u.Fragment != "" {
			t.Errorf("%.100q: the file is %q, %v", bad, result.Locations[0].Physical.Artifact.URI, err)
		}
	}
}
