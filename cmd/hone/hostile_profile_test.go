package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

// notOfProfiles are the verbs that print no text of a profile given to them, and why. A new
// verb has to be here, or among the command lines of TestHostileProfile.
var notOfProfiles = map[string]string{
	"ui":      "a server: its routes are in TestHostileText of internal/server/reports",
	"bench":   "measures, and prints names of benchmarks and what compare prints",
	"compare": "takes runs, see TestScreen and TestPicturesOfNames",
	"check":   "takes runs and figures", "advise": "takes runs, and names only functions of source that is there",
	"fix": "takes findings", "tune": "takes packages", "pgo": "prints counts and the names of the caller's packages",
	"load": "takes addresses", "gc": "takes programs", "wall": "takes execution traces", "runs": "takes runs",
	"serve": "a server", "query": "prints reports of a server, which TestHostileText has", "push": "prints counts",
	"token": "no profiles", "session": "no profiles", "store": "no profiles", "tour": "an example of its own",
	"completion": "no profiles", "version": "no profiles",
	// These hand a file to a program; what is in the file is that of the named report.
	"eog": "svg", "evince": "pdf", "gv": "ps", "kcachegrind": "callgrind", "web": "svg",
	// These draw the layout that svg draws, escaped by internal/graphviz.
	"gif": "pixels", "png": "pixels", "pdf": "drawn like svg", "ps": "drawn like svg",
	"proto": "the profile itself", "topproto": "a profile",
}

// hostileFile writes a profile all of whose texts end with bad.
func hostileFile(t *testing.T, bad string, times int64) string {
	t.Helper()
	b := profile.NewBuilder(profile.ValueType{Type: "type" + bad, Unit: "unit" + bad}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	m := b.Mapping(profile.Mapping{Limit: 1 << 20, File: "/bin/program" + bad, BuildID: "build" + bad, HasFunctions: true})
	at := func(name string, line int64) uint32 {
		return b.Location(uint64(100*line), m, profile.Line{Function: b.Function(name+bad, name+bad, name+".go"+bad, line), Line: line})
	}
	labels := []profile.Label{
		{Key: b.String("key" + bad), Str: b.String("value" + bad)},
		{Key: b.String("bytes"), Num: 64, Numeric: true, Unit: b.String("unit" + bad)},
	}
	caller, callee := at("main.caller", 3), at("main.callee", 4)
	b.Sample([]uint32{callee, caller}, labels, 10*times, 20*times)
	b.Sample([]uint32{caller}, labels[:1], 5, 6)
	p := b.Profile()
	p.Comments, p.DocURL, p.DefaultSampleType = []string{"comment" + bad}, "https://doc.example/"+bad, "cpu"
	var out bytes.Buffer
	if err := p.Encode(&out); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cpu.pb.gz")
	write(t, file, out.String())
	return file
}

// parts returns what a form consists of but for its texts: elements with the names of their
// attributes, nodes and edges, columns, lines.
func parts(t *testing.T, form, text string) (out []string) {
	t.Helper()
	switch form {
	case "svg":
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Errorf("damaged XML: %v", err)
				break
			}
			// How many lines a text has is no syntax.
			if e, ok := token.(xml.StartElement); ok && e.Name.Local != "text" && e.Name.Local != "tspan" {
				name := e.Name.Local
				for _, a := range e.Attr {
					name += " " + a.Name.Local
				}
				out = append(out, name)
			}
		}
	case "html":
		for z := html.NewTokenizer(strings.NewReader(text)); z.Next() != html.ErrorToken; {
			if token := z.Token(); token.Type != html.TextToken {
				name := token.Type.String() + " " + token.Data
				for _, a := range token.Attr {
					name += " " + a.Key
				}
				out = append(out, name)
			}
		}
	case "dot":
		// Outside of quotes.
		var b strings.Builder
		quoted := false
		for i := 0; i < len(text); i++ {
			switch {
			case quoted && text[i] == '\\':
				i++
			case text[i] == '"':
				quoted = !quoted
			case !quoted && !unicode.IsDigit(rune(text[i])) && text[i] != '.':
				b.WriteByte(text[i])
			}
		}
		out = strings.Split(b.String(), "\n")
	case "csv":
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Errorf("damaged CSV: %v", err)
		}
		out = make([]string, len(rows))
	case "json":
		if !json.Valid([]byte(text)) {
			t.Errorf("damaged JSON: %.300q", text)
		}
	case "lines":
		out = make([]string, strings.Count(text, "\n"))
	}
	return out
}

// TestHostileProfile gives every verb that prints what is in a profile one whose texts are
// syntax somewhere. The outputs have to have the parts of those of plain texts, and terminals
// get nothing that they obey.
func TestHostileProfile(t *testing.T) {
	type line struct {
		form string
		args []string
	}
	lines := []line{
		{"svg", []string{"svg", "-output=-"}}, {"dot", []string{"dot"}}, {"lines", []string{"callgrind"}}, {"other", []string{"comments"}},
		{"lines", []string{"peek", "-output=-", "main"}}, {"lines", []string{"raw"}}, {"lines", []string{"tags"}}, {"lines", []string{"pprof", "-text"}},
		{"lines", []string{"top"}}, {"lines", []string{"top", "-lines"}}, {"lines", []string{"top", "-addresses"}}, {"lines", []string{"traces"}}, {"lines", []string{"tree"}},
		{"other", []string{"list", "main"}}, {"other", []string{"disasm", "main"}},
		{"html", []string{"weblist", "-output=-", "main"}},
		{"lines", []string{"pprof", "-top"}}, {"lines", []string{"pprof", "-tree"}},
		{"html", []string{"flame", "-o", "-"}}, {"svg", []string{"flame", "-format=svg"}}, {"lines", []string{"flame", "-folded"}}, {"json", []string{"flame", "-format=json"}},
		{"json", []string{"flame", "-format=speedscope"}}, {"json", []string{"flame", "-format=firefox"}},
		{"lines", []string{"diff"}}, {"json", []string{"diff", "-json"}}, {"csv", []string{"diff", "-csv"}}, {"html", []string{"diff", "-flame"}},
	}
	covered := map[string]bool{}
	for _, l := range lines {
		covered[l.args[0]] = true
	}
	for _, v := range verbs() {
		if covered[v.name] == (notOfProfiles[v.name] != "") {
			t.Errorf("hone %s has a command line here %v, and is an exception because %q", v.name, covered[v.name], notOfProfiles[v.name])
		}
	}
	t.Chdir(t.TempDir())
	command := func(l line, bad string) []string {
		file := hostileFile(t, bad, 1)
		args := append(slices.Clone(l.args), file)
		if args[0] == "diff" {
			args = append(args, hostileFile(t, bad, 5))
		}
		return args
	}
	bads := []string{
		`"><script>alert(1)</script>`, "]]><a href='javascript:alert(1)'>x</a>", "\"] URL=\"javascript:x\n}", "\x1b[31m\u009b2J\x07\x7f",
		"over\rwrite", "\u202egnp\u2066", "a\nb\r\nc", `\`, "\xff", "=1+1|'@-+", ",\"\n;", "${x}`{{.}}`|", "<!--", "$(x) cfn=(9) y\n+1 2",
	}
	for _, l := range lines {
		plain := hone(t, command(l, "")...)
		if (plain.code != exitOK || plain.stdout == "") && l.args[0] != "list" && l.args[0] != "disasm" { // there is no program
			t.Errorf("hone %q of plain texts: %+v", l.args, plain)
		}
		want := parts(t, l.form, plain.stdout)
		for _, bad := range bads {
			args := command(l, bad)
			o := hone(t, args...)
			if got := parts(t, l.form, o.stdout); !slices.Equal(got, want) {
				t.Errorf("hone %q of %q has %d parts, want %d\n%.400q\n%s", l.args, bad, len(got), len(want), o.stdout, o.stderr)
			}
			var out, stderr bytes.Buffer
			a := &app{stdin: strings.NewReader(""), stdout: shell.NewScreen(&out), stderr: shell.NewScreen(&stderr), getenv: os.Getenv}
			a.run(t.Context(), args)
			for _, r := range strings.ReplaceAll(out.String()+stderr.String(), "\r\n", "\n") {
				if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
					t.Errorf("hone %q of %q gives a terminal %q", l.args, bad, r)
					break
				}
			}
		}
	}
}
