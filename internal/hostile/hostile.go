// Package hostile is for tests: texts that are syntax somewhere, profiles and results of
// benchmarks made of them, and what an output consists of besides its texts. An output is
// right if it has the same parts whatever the texts are.
package hostile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hone-go/hone/profile"
)

// Plain is what texts are compared with: it is syntax nowhere.
const Plain = "plain"

// Texts are syntax in at least one of the forms that hone writes, or in what reads them.
// Tests put them behind a name, and in front of one.
var Texts = []string{
	// Markup and links.
	`"><script>alert(1)</script>`, `' onload='alert(1)`, "]]><a href='javascript:alert(1)'>x</a>", "</script><b>", "<!--", "</title><h1>",
	"[x](javascript:alert(1)) ![y](https://evil.example/z.png) <https://evil.example> https://evil.example www.evil.example",
	"`|`|@team #1 GH-2 me@evil.example **b** ~~s~~ &lt;&#96;", "|`", "````", "  - [ ] x",
	// DOT and its labels in HTML.
	"\"] URL=\"javascript:x\n}", `\N\G\E\T\H\L\`, "<<b>x</b>>", `\`,
	// What terminals obey: colours, titles, links, C1 controls; and what turns or hides text.
	"\x1b[31m\u009b2J\x07\x7f", "\x1b]0;title\x07\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\", "over\rwrite", "\u202egnp\u2066\u200b\ufeff\u2028\u2029",
	// Lines, and commands to CI and shells.
	"a\nb\r\nc", "\n::error file=x.go::stop\n", "%0A::warning::x%0D", "x##[error]x ##vso[task.complete]", "${{ secrets.X }}", "\nVERSION 1\n", "$(x) `y` ;z", "cfn=(9) y\n+1 2",
	// Tables and formulas.
	`=cmd|' /C calc'!A0`, "=1+1|'@-+", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "\r=1+1", ",\"\n;", "a\tb",
	// Other syntax: templates, paths, headers, labels of Prometheus, PDF and PostScript.
	"${x}`{{.}}`|", "../../../etc/none", `..\..\x`, "a/b:c*?", "name\"; filename=\"evil.html", `",x="1"} 5`, ") Tj (x) /URI (javascript:x) >> endobj", "% )\n%%EOF\nshowpage",
	// Not text at all.
	"\x00", "\xff\xc3", "\xed\xa0\x80",
	strings.Repeat("long", 25_000),
}

// Joined returns the same in a few long texts, for what takes long.
func Joined() []string {
	var out []string
	for some := range slices.Chunk(Texts[:len(Texts)-1], (len(Texts)+2)/3) { // the last is only long
		out = append(out, strings.Join(some, " "))
	}
	return out
}

// Profile returns a profile with bad in all of its texts, whose values are times as large.
func Profile(bad string, times int64) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: "type" + bad, Unit: "unit" + bad}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	m := b.Mapping(profile.Mapping{Limit: 1 << 20, File: "/bin/program" + bad, BuildID: "build" + bad, HasFunctions: true})
	at := func(name string, line int64) uint32 {
		return b.Location(uint64(100*line), m, profile.Line{Function: b.Function(name, "system"+name, name+".go"+bad, line), Line: line})
	}
	labels := []profile.Label{
		{Key: b.String("key" + bad), Str: b.String("value" + bad)},
		{Key: b.String("key"), Str: b.String(bad + "value")},
		{Key: b.String("bytes"), Num: 64, Numeric: true, Unit: b.String("unit" + bad)},
		{Key: b.String(bad + "size"), Num: 32, Numeric: true, Unit: b.String(bad + "unit")},
	}
	caller, callee, first := at("main.caller"+bad, 3), at("main.callee"+bad, 4), at(bad+"main.first", 5)
	b.Sample([]uint32{callee, caller}, labels, 10*times, 20*times)
	b.Sample([]uint32{first, caller}, labels[1:2], 8*times, 9*times)
	b.Sample([]uint32{caller}, labels[:1], 5, 6)
	p := b.Profile()
	p.Comments = []string{"comment" + bad, bad + "comment"}
	p.DocURL, p.DefaultSampleType = "https://doc.example/"+bad, "cpu"
	p.PeriodType, p.Period = profile.ValueType{Type: "period" + bad, Unit: "unit" + bad}, 1
	p.DropFrames, p.KeepFrames = "drop"+bad, "keep"+bad
	return p
}

// Benchmarks returns what go test -bench printed of one benchmark, with bad in its texts as far
// as they are one line and one word.
func Benchmarks(bad string, ns float64) string {
	line := strings.NewReplacer("\n", "", "\r", "").Replace(bad[:min(len(bad), 1000)]) // a longer line is refused
	word := strings.Join(strings.Fields(line), "_")
	var b strings.Builder
	fmt.Fprintf(&b, "pkg: example.com/p%s\ncpu: CPU%s\nnote: %s\n", line, line, line)
	for i := range 8 {
		fmt.Fprintf(&b, "BenchmarkA%s-2 1000 %.1f ns/op %.1f x%s\n", word, ns*(1+0.01*float64(i*7%5)), ns, word)
		fmt.Fprintf(&b, "Benchmark%s-2 1000 %.1f ns/op 0 y%s\n", word, ns*(1+0.01*float64(i*7%5)), word)
	}
	return b.String()
}
