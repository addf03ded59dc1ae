package main

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/report"
)

// Two runs of a program, and two of its next version.
var (
	oldRun, oldAgain = testdata("cpu.wordcount-v1.pb.gz"), testdata("cpu.wordcount-v1-again.pb.gz")
	newRun, newAgain = testdata("cpu.wordcount-v2.pb.gz"), testdata("cpu.wordcount-v2-again.pb.gz")
)

// flameNode is a frame in the JSON of a flame graph.
type flameNode struct {
	Name                string
	Total, Self         int64
	BaseTotal, BaseSelf *int64
	Children            []flameNode
}

func flameTree(t *testing.T, args ...string) *flameNode {
	t.Helper()
	return decode[flameNode](t, succeed(t, args...))
}

func decode[V any](t *testing.T, data string) *V {
	t.Helper()
	v := new(V)
	if err := json.Unmarshal([]byte(data), v); err != nil {
		t.Fatalf("%v in %.200s", err, data)
	}
	return v
}

// check reports frames that are not what is in them.
func (n *flameNode) check(t *testing.T) {
	sum := n.Self
	for i := range n.Children {
		sum += n.Children[i].Total
		n.Children[i].check(t)
	}
	if sum != n.Total {
		t.Errorf("%s: total %d, but %d in it", n.Name, n.Total, sum)
	}
}

// topOf returns the table of all functions of a profile.
func topOf(t *testing.T, args ...string) (total int64, flat, cum map[string]int64) {
	t.Helper()
	top := decode[report.Top](t, succeed(t, append([]string{"top", "-json", "-trim=false"}, args...)...))
	flat, cum = map[string]int64{}, map[string]int64{}
	for _, r := range top.Rows {
		flat[r.Name] += r.Flat.Value
		cum[r.Name] += r.Cum.Value
	}
	return top.Total.Value, flat, cum
}

// foldedSums adds up each column of folded stacks.
func foldedSums(t *testing.T, text string, columns int) []int64 {
	t.Helper()
	sums := make([]int64, columns)
	for line := range strings.Lines(text) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		if len(words) <= columns {
			t.Fatalf("folded line %q", line)
		}
		for i, w := range words[len(words)-columns:] {
			n, err := strconv.ParseInt(w, 10, 64)
			if err != nil {
				t.Fatalf("folded line %q: %v", line, err)
			}
			sums[i] += n
		}
	}
	return sums
}

func TestFlameFormats(t *testing.T) {
	isHTML := func(text string) error {
		if !strings.HasPrefix(text, "<!DOCTYPE html>") || !strings.HasSuffix(strings.TrimSpace(text), "</html>") {
			return fmt.Errorf("no page: %.60q", text)
		}
		return nil
	}
	isSVG := func(text string) error {
		d := xml.NewDecoder(strings.NewReader(text))
		for first := true; ; {
			tok, err := d.Token()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if e, ok := tok.(xml.StartElement); ok && first {
				if e.Name.Local != "svg" {
					return fmt.Errorf("the root is %s", e.Name.Local)
				}
				first = false
			}
		}
	}
	isFolded := func(text string) error {
		line, _, _ := strings.Cut(text, "\n")
		if i := strings.LastIndexByte(line, ' '); i < 0 || !strings.Contains(line[:i], ";") {
			return fmt.Errorf("first line %q", line)
		}
		return nil
	}
	isJSON := func(text string) error { return json.Unmarshal([]byte(text), new(flameNode)) }
	has := func(start string) func(string) error {
		return func(text string) error {
			if !json.Valid([]byte(text)) || !strings.HasPrefix(text, start) {
				return fmt.Errorf("%.60q", text)
			}
			return nil
		}
	}
	isSpeedscope, isFirefox := has(`{"$schema":"https://www.speedscope.app/`), has(`{"meta":{`)

	tests := []struct {
		args []string
		file string // of the output, "" for standard output
		is   func(string) error
	}{
		{nil, "", isHTML},
		{nil, "-", isHTML},
		{nil, "graph.html", isHTML},
		{nil, "graph", isHTML},
		{nil, "graph.SVG", isSVG},
		{nil, "graph.folded", isFolded},
		{nil, "graph.txt", isFolded},
		{nil, "graph.json", isJSON},
		{nil, "graph.speedscope.json", isSpeedscope},
		{nil, "graph.Firefox.json", isFirefox},
		{[]string{"-format=speedscope", "-inverted"}, "", isSpeedscope},
		{[]string{"-format=firefox", "-base", oldRun}, "graph.json", isFirefox},
		{[]string{"-folded"}, "", isFolded},
		{[]string{"-folded"}, "graph.svg", isFolded},
		{[]string{"-json"}, "", isJSON},
		{[]string{"-format=svg"}, "", isSVG},
		{[]string{"-format=html"}, "graph.json", isHTML},
		{[]string{"-format=svg", "-up", "-inverted", "-color=origin", "-width=900", "-title=a<b"}, "", isSVG},
		{[]string{"-format=svg", "-max-frames=10", "-collapse"}, "", isSVG},
		{[]string{"-format=svg", "-base", oldRun}, "", isSVG},
		{[]string{"-base", oldRun}, "", isHTML},
		{[]string{"-diff_base", oldRun, "-color=package", "-widths=base"}, "graph.svg", isSVG},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.args, test.file), func(t *testing.T) {
			args := append([]string{"flame"}, test.args...)
			file := test.file
			if file != "" && file != "-" {
				file = filepath.Join(t.TempDir(), file)
			}
			if file != "" {
				args = append(args, "-o", file)
			}
			text := succeed(t, append(args, newRun)...)
			if file != "" && file != "-" {
				if text != "" {
					t.Errorf("standard output: %.60q", text)
				}
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				text = string(data)
			}
			if err := test.is(text); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFlameTotals compares flame graphs with the table of the same profile.
// TestFlameEndings writes what the ending says, or nothing.
func TestFlameEndings(t *testing.T) {
	dir := t.TempDir()
	for ending, start := range map[string]string{"": "<!doctype html>", ".HTML": "<!doctype html>", ".htm": "<!doctype html>", ".svg": "<?xml", ".txt": "runtime.main;main.", ".folded": "runtime.main;main.", ".json": "{"} {
		file := filepath.Join(dir, "flame"+ending)
		succeed(t, "flame", "-focus=main", "-o", file, oldRun)
		if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(strings.ToLower(string(text)), start) {
			t.Errorf("%s begins with %.40q, want %q; %v", file, text, start, err)
		}
	}
	for ending, want := range map[string]string{
		".png":   "a flame graph can't be written as png; use .svg or .html, or draw the call graph with hone png -o ",
		".pdf":   "hone pdf -o ",
		".pb.gz": "unknown file type .gz; use .html, .svg, .folded, .json, .speedscope.json or .firefox.json, or set -format",
	} {
		file := filepath.Join(dir, "flame"+ending)
		hone(t, "flame", "-o", file, oldRun).failsWith(t, exitUsage, want)
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s was written", file)
		}
		succeed(t, "flame", "-format=html", "-o", file, oldRun)
	}
}

func TestFlameTotals(t *testing.T) {
	tests := [][]string{
		{newRun},
		{"-sample_index=samples", newRun},
		{"-noinlines", newRun},
		{"-focus=strings", newRun},
		{"-tagfocus=endpoint=/search", testdata("cpu.labels.pb.gz")},
		{"-sample_index=alloc_space", testdata("heap.json-decode.pb.gz")},
		{"-collapse", testdata("cpu.recursion.pb.gz")},
		{oldRun, newRun},
	}
	for _, args := range tests {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			var tableArgs []string
			for _, a := range args {
				if a != "-collapse" {
					tableArgs = append(tableArgs, a)
				}
			}
			_, flat, _ := topOf(t, tableArgs...)
			var want int64
			for _, v := range flat {
				want += v
			}
			for _, more := range [][]string{{"-json"}, {"-json", "-inverted"}} {
				tree := flameTree(t, append(append([]string{"flame"}, more...), args...)...)
				tree.check(t)
				if tree.Total != want {
					t.Errorf("%v: total %d, want %d", more, tree.Total, want)
				}
			}
			folded := succeed(t, append([]string{"flame", "-folded"}, args...)...)
			if got := foldedSums(t, folded, 1)[0]; got != want {
				t.Errorf("folded: total %d, want %d", got, want)
			}
		})
	}
}

// TestFoldedAsSource reads folded stacks back, from a file and from a pipe.
func TestFoldedAsSource(t *testing.T) {
	for _, profile := range []string{newRun, testdata("cpu.recursion.pb.gz"), testdata("goroutine.labels.pb.gz"), testdata("heap.leak.pb.gz")} {
		t.Run(filepath.Base(profile), func(t *testing.T) {
			folded := succeed(t, "flame", "-folded", profile)
			file := filepath.Join(t.TempDir(), "stacks.folded")
			if err := os.WriteFile(file, []byte(folded), 0o666); err != nil {
				t.Fatal(err)
			}
			if again := succeed(t, "flame", "-folded", file); again != folded {
				t.Errorf("from a file:\n%.300s\nwant\n%.300s", again, folded)
			}
			o := honeWith(t, nil, folded, "flame", "-folded", "-o", "-", "-")
			if o.code != 0 || o.stdout != folded || o.stderr != "" {
				t.Errorf("through a pipe: exit code %d, %s\n%.300s\nwant\n%.300s", o.code, o.stderr, o.stdout, folded)
			}
			if o := honeWith(t, nil, folded, "flame", "-o", "-", "-"); o.code != 0 || !strings.HasPrefix(o.stdout, "<!DOCTYPE html>") {
				t.Errorf("to a page: exit code %d, %s", o.code, o.stderr)
			}
			want := flameTree(t, "flame", "-json", profile)
			got := flameTree(t, "flame", "-json", file)
			if got.Total != want.Total || len(got.Children) != len(want.Children) {
				t.Errorf("total %d of %d, want %d of %d", got.Total, len(got.Children), want.Total, len(want.Children))
			}
			_, flat, cum := topOf(t, profile)
			_, foldedFlat, foldedCum := topOf(t, file)
			for name := range cum {
				if foldedFlat[name] != flat[name] || foldedCum[name] != cum[name] {
					t.Errorf("%s: flat %d, cum %d; want %d, %d", name, foldedFlat[name], foldedCum[name], flat[name], cum[name])
				}
			}
		})
	}
}

// TestFlameDiff checks which side is scaled, and to what: a flame graph is of
// its source, so it is the base that -normalize changes.
func TestFlameDiff(t *testing.T) {
	oldTotal, _, _ := topOf(t, oldRun)
	newTotal, _, _ := topOf(t, newRun)
	if oldTotal == newTotal {
		t.Fatal("the profiles have the same total, which tests nothing")
	}
	oldAgainTotal, _, _ := topOf(t, oldAgain)
	tests := []struct {
		args       []string
		base, head int64
	}{
		{[]string{"flame", "-base", oldRun, newRun}, oldTotal, newTotal},
		{[]string{"flame", "-diff_base", oldRun, newRun}, oldTotal, newTotal},
		{[]string{"flame", "-base", newRun, oldRun}, newTotal, oldTotal},
		{[]string{"flame", "-normalize", "-base", oldRun, newRun}, newTotal, newTotal},
		{[]string{"flame", "-base", oldRun, "-base", oldAgain, newRun}, oldTotal + oldAgainTotal, newTotal},
		{[]string{"flame", "-normalize", "-base", oldRun, "-base", oldAgain, newRun}, newTotal, newTotal},
		{[]string{"diff", "-flame", oldRun, newRun}, oldTotal, newTotal},
		{[]string{"diff", "-flame", "-normalize", oldRun, newRun}, newTotal, newTotal},
		{[]string{"diff", "-flame", "-base", oldRun, newRun}, oldTotal, newTotal},
		// As of as many runs.
		{[]string{"diff", "-flame", oldRun + "," + oldAgain, newRun}, (oldTotal + oldAgainTotal) / 2, newTotal},
		{[]string{"diff", "-flame", oldRun, newRun + "," + newRun}, 2 * oldTotal, 2 * newTotal},
	}
	for _, test := range tests {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			tree := flameTree(t, append(test.args[:1:1], append([]string{"-json"}, test.args[1:]...)...)...)
			tree.check(t)
			if tree.Total != test.head || tree.BaseTotal == nil || *tree.BaseTotal != test.base {
				t.Errorf("head %d, base %d; want %d, %d", tree.Total, *tree.BaseTotal, test.head, test.base)
			}
			if test.args[0] == "diff" {
				return
			}
			sums := foldedSums(t, succeed(t, append(test.args[:1:1], append([]string{"-folded"}, test.args[1:]...)...)...), 2)
			// Each line is rounded.
			if math.Abs(float64(sums[0]-test.base)) > 1000 || sums[1] != test.head {
				t.Errorf("folded: base %d, head %d; want %d, %d", sums[0], sums[1], test.base, test.head)
			}
		})
	}
}

// TestDiff compares the rows of a comparison with the tables of both sides.
func TestDiff(t *testing.T) {
	oldTotal, oldFlat, oldCum := topOf(t, oldRun)
	newTotal, newFlat, newCum := topOf(t, newRun)
	again, againFlat, _ := topOf(t, oldAgain)
	newAgainTotal, newAgainFlat, _ := topOf(t, newAgain)
	scale := float64(newTotal) / float64(oldTotal)
	mean := func(a, b map[string]int64) func(string) float64 {
		return func(name string) float64 { return float64(a[name]+b[name]) / 2 }
	}
	is := func(values map[string]int64) func(string) float64 {
		return func(name string) float64 { return float64(values[name]) }
	}
	tests := []struct {
		name                 string
		args                 []string
		baseTotal, headTotal float64
		base, head           func(name string) float64 // what rows are ordered by
		cum                  bool
	}{
		{"two", []string{oldRun, newRun}, float64(oldTotal), float64(newTotal), is(oldFlat), is(newFlat), false},
		{"cum", []string{"-cum", oldRun, newRun}, float64(oldTotal), float64(newTotal), is(oldCum), is(newCum), true},
		{"-base", []string{"-base", oldRun, newRun}, float64(oldTotal), float64(newTotal), is(oldFlat), is(newFlat), false},
		{"normalized", []string{"-normalize", oldRun, newRun}, float64(oldTotal), float64(newTotal),
			func(name string) float64 { return float64(oldFlat[name]) * scale }, is(newFlat), false},
		{"runs", []string{oldRun + "," + oldAgain, newRun + "," + newAgain}, float64(oldTotal+again) / 2, float64(newTotal+newAgainTotal) / 2,
			mean(oldFlat, againFlat), mean(newFlat, newAgainFlat), false},
		{"runs by -base", []string{"-base", oldRun, "-base", oldAgain, newRun, newAgain}, float64(oldTotal+again) / 2, float64(newTotal+newAgainTotal) / 2,
			mean(oldFlat, againFlat), mean(newFlat, newAgainFlat), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := decode[report.Diff](t, succeed(t, append([]string{"diff", "-json", "-trim=false"}, test.args...)...))
			near := func(what string, got int64, want float64) {
				if math.Abs(float64(got)-want) > 1 {
					t.Errorf("%s: %d, want %.1f", what, got, want)
				}
			}
			near("base", d.BaseTotal, test.baseTotal)
			near("head", d.HeadTotal, test.headTotal)
			if len(d.Rows) == 0 {
				t.Fatal("no rows")
			}
			last := math.Inf(1)
			for _, r := range d.Rows {
				v := r.Flat
				if test.cum {
					v = r.Cum
				}
				near(r.Name+" base", v.Base, test.base(r.Name))
				near(r.Name+" head", v.Head, test.head(r.Name))
				if v.Delta != v.Head-v.Base {
					t.Errorf("%s: delta %d of %d and %d", r.Name, v.Delta, v.Base, v.Head)
				}
				size := math.Abs(float64(v.Delta))
				if test.cum && size > 0 { // by its share of the function: callers have the same change
					size *= size / float64(max(v.Base, v.Head))
				}
				if size > last*(1+1e-9) {
					t.Errorf("%s, which changed by %v, stands below %v", r.Name, size, last)
				}
				last = size
				if r.New != (r.Cum.Base == 0) || r.Gone != (r.Cum.Head == 0) {
					t.Errorf("%s: new %t, gone %t, cum %d to %d", r.Name, r.New, r.Gone, r.Cum.Base, r.Cum.Head)
				}
			}
			sameRows(t, d, test.args)
		})
	}
}

// sameRows compares the text and the CSV of a comparison with its JSON.
func sameRows(t *testing.T, d *report.Diff, args []string) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(succeed(t, append([]string{"diff", "-csv", "-trim=false"}, args...)...))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(succeed(t, append([]string{"diff", "-trim=false"}, args...)...), "\nflat base ")
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	if len(records) != len(d.Rows)+1 || len(lines) != len(d.Rows)+1 {
		t.Fatalf("%d rows of JSON, %d lines of CSV, %d of text", len(d.Rows), len(records), len(lines))
	}
	for i, r := range d.Rows {
		got := strings.Join(append(records[i+1][4:7:7], records[i+1][8:11]...), " ")
		if want := fmt.Sprint(r.Flat.Base, r.Flat.Head, r.Flat.Delta, r.Cum.Base, r.Cum.Head, r.Cum.Delta); records[i+1][0] != r.Name || got != want {
			t.Errorf("CSV: %v, want %s %s", records[i+1], r.Name, want)
		}
		if line := lines[i+1]; !strings.HasSuffix(line, "  "+r.Name) ||
			r.Cum.Base == 0 && !strings.Contains(line, " new ") || r.Cum.Head == 0 && !strings.Contains(line, " gone ") {
			t.Errorf("text: %q, want %+v", line, r)
		}
	}
}

func TestDiffFiles(t *testing.T) {
	for _, test := range []struct{ file, start string }{
		{"change.html", "<!DOCTYPE html>"},
		{"change.svg", "<?xml"},
		{"change.txt", "Type: cpu\n"},
	} {
		file := filepath.Join(t.TempDir(), test.file)
		if out := succeed(t, "diff", "-o", file, oldRun, newRun); out != "" {
			t.Errorf("%s: standard output %.60q", test.file, out)
		}
		if data, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(data), test.start) {
			t.Errorf("%s: %v, %.60q", test.file, err, data)
		}
	}
	if out := succeed(t, "diff", "-flame", oldRun, newRun); !strings.HasPrefix(out, "<!DOCTYPE html>") {
		t.Errorf("-flame: %.60q", out)
	}
}

// TestFlamePageTurns: the page can turn to the other direction, and to your code alone
// or all of it where that makes a difference.
func TestFlamePageTurns(t *testing.T) {
	own, foreign := filepath.Join(t.TempDir(), "own.folded"), filepath.Join(t.TempDir(), "foreign.folded")
	write(t, own, "main.main;main.f 500\n")
	write(t, foreign, "runtime.main;runtime.mallocgc 500\n")
	for _, tt := range []struct {
		args []string
		want string // the first tree is shown
	}{
		{[]string{oldRun}, "[all] [all inverted] [mine] [mine inverted]"},
		{[]string{"-inverted", oldRun}, "[all inverted] [all] [mine inverted] [mine]"},
		{[]string{"-mine", oldRun}, "[mine] [mine inverted] [all] [all inverted]"},
		{[]string{"-mine=^main\\.", oldRun}, "[mine] [mine inverted] [all] [all inverted]"},
		{[]string{"-base", oldRun, newRun}, "[all] [all inverted] [mine] [mine inverted]"},
		{[]string{own}, "[all] [all inverted]"},
		{[]string{foreign}, "[all] [all inverted]"},
	} {
		_, page, _ := strings.Cut(succeed(t, append([]string{"flame", "-format=html"}, tt.args...)...), `id="data">`)
		page, _, _ = strings.Cut(page, "</script>")
		data := decode[struct {
			Types []struct{ Shares, MineShares *report.FlameShares }
			Trees []struct{ Inverted, Mine bool }
		}](t, page)
		var got []string
		mine := false
		for _, tree := range data.Trees {
			mine = mine || tree.Mine
			name := map[bool]string{false: "all", true: "mine"}[tree.Mine] + map[bool]string{true: " inverted"}[tree.Inverted]
			got = append(got, "["+name+"]")
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: %s, want %s", tt.args, got, tt.want)
		}
		if first := data.Types[0]; first.Shares == nil || (first.MineShares != nil) != mine {
			t.Errorf("%q has shares %v of all and %v of yours", tt.args, first.Shares, first.MineShares)
		}
	}
}
