package doc_test

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A phrase is a way of putting things that readers of English stumble over.
type phrase struct {
	find    *regexp.Regexp
	unless  *regexp.Regexp // matches what was found with some text around it, where that is good English
	instead string
}

func phraseOf(find, unless, instead string) phrase {
	p := phrase{find: regexp.MustCompile(find), instead: instead}
	if unless != "" {
		p.unless = regexp.MustCompile(unless)
	}
	return p
}

// A sentence begins a text, or follows another one.
const begin = `(?:^|[.!?] +)`

var phrases = []phrase{
	phraseOf(`\b(?:is|are|was) no [a-z%]`, `(?i)there (?:is|are|was) no |is no longer|no (?:more|less|worse|better|slower|faster|larger|smaller|longer|later) `, `invalid …, is not a …, unknown …`),
	phraseOf(`(?i)\bthere (?:is|are) no such [^.]*; there (?:is|are)\b`, ``, `unknown … (known: …)`),
	phraseOf(`\b(?:is|are|was|were) of\b`, `(?:is|are) of course`, `belongs to, is from, has, lasts`),
	phraseOf(`\bat a time\b`, ``, `at once, per, in parallel`),
	phraseOf(`\b(?:by|of) itself\b`, ``, `automatically, on its own, alone`),
	phraseOf(`\b(?:stands?|stood)\b`, `stands? (?:for|out)\b|stand-in|as (?:it|they) stands?\b`, `is`),
	phraseOf(`(?i)\b(?:nevertheless|thereof|thereby|but for|save for)\b`, ``, `anyway, except`),
	phraseOf(`(?i)\b(?:is|are|room|what|left|lies|stays?) behind\b|`+begin+`Behind\b|\bbehind (?:w|it|that|±)\b`, ``, `after, wrapped by, follows`),
	phraseOf(`(?i)\bnobody (?:has|knows|names|asked|is)\b|\bfor nobody\b`, ``, `unknown, unauthenticated, no one`),
	phraseOf(`\b(?:takes?|took) part of\b`, ``, `use`),
	phraseOf(`\bputs? (?:[a-z]+ )?[a-z]+ together\b`, ``, `builds, formats, joins`),
	phraseOf(`\b(?:in|by) turns?\b`, ``, `interleaved, alternately`),
	phraseOf(`, of which\b`, ``, `a sentence of its own`),
	phraseOf(begin+`See that\b`, ``, `check that`),
	phraseOf(begin+`(?:Of|Where) [a-z][^.?]*[^?. ](?:[.,]|$)`, ``, `the subject first`),
	phraseOf(begin+`What (?:[^ ?.]+ ){1,8}(?:is|are|was|has|have|can|stays|comes)\b[^?.]*(?:[.]|$)`, ``, `the subject first`),
	phraseOf(`\bso long,|\bonce all is\b|\ball is (?:built|well|measured)\b`, ``, `after the build`),
	phraseOf(`\b(?:runs?|executes?) nothing\b`, ``, `don't run any`),
	phraseOf(`\b(?:never|can't|cannot) go on\b`, ``, `blocked forever`),
	phraseOf(`\bwhat (?:is|was) there\b|\bwhat there is\b`, ``, `the current …`),
	phraseOf(`\bto be (?:reviewed|looked at)\b`, ``, `review it`),
	phraseOf(`\bit is the one\b`, ``, `the one that`),
	phraseOf(`\beach of (?:them|which) (?:a|one)\b|\ba (?:rule|line|row|file) (?:a|each) (?:file|row|line)\b`, ``, `one per …`),
}

// A place is where a phrase was found.
type place struct {
	file    string // in the repository
	line    int
	text    string
	instead string
}

func (p place) String() string {
	return fmt.Sprintf("%s:%d: %.60q: %s", p.file, p.line, p.text, p.instead)
}

// find returns the phrases in a text that begins at a line of a file.
func find(file string, line int, text string) (found []place) {
	flat := strings.NewReplacer("\n", " ", "\t", " ").Replace(text)
	for _, p := range phrases {
		for _, at := range p.find.FindAllStringIndex(flat, -1) {
			around := flat[max(0, at[0]-12):min(len(flat), at[1]+12)]
			if p.unless != nil && p.unless.MatchString(around) {
				continue
			}
			begins := at[1] - len(strings.TrimLeft(flat[at[0]:at[1]], ".!? ")) // after the end of the sentence before
			words := strings.Join(strings.Fields(flat[begins:at[1]]), " ")
			found = append(found, place{file, line + strings.Count(text[:begins], "\n"), words, p.instead})
		}
	}
	return found
}

// TestFindPhrases: what the others count is found, and good English isn't.
func TestFindPhrases(t *testing.T) {
	for _, text := range []string{
		`"x" is no rate like 500, 500/s or 30000/m`,
		`%.60q is no time: it is ns since 1970`,
		`nobody has this token`,
		`profiles are read for nobody: the request was not checked`,
		`there is no such option; there are ca, cluster`,
		`another load is being started: one runs at a time`,
		`other programs take part of them`,
		`package fmt puts simple values together`,
		`io.WriteString needs none, if what is behind w has a WriteString`,
		`See that b is not in the room behind a`,
		`allocates a slice for all parts, of which the last is used`,
		`proves it, and keeps it if it is faster, to be reviewed`,
		`What it costs is of the part of the profile`,
		`It helps. Of several benchmarks it is shown`,
		`Behind ± is the standard error`,
		`measured in turns with what is there`,
		`so long, once all is built`,
		`benchmarks that run nothing that changed`,
		`goroutines left behind that can never go on`,
		`samples are of 50ms`,
		`the part is taken by itself`,
		`the file stands beside`,
		`all flags but for -x`,
	} {
		if len(find("x", 1, text)) == 0 {
			t.Errorf("nothing is found in %q", text)
		}
	}
	for _, text := range []string{
		`invalid rate "x": use 500, 500/s or 30000/m`,
		`There is no base.`,
		`the flag is no longer needed, and the run is no slower than before`,
		`What is it? Where is the time spent?`,
		`RE stands for a regular expression, the default standard`,
		`measured interleaved with the current code`,
		`this is a stand-in`,
		`of course, this is of course fine`,
		`put the server behind a proxy`,
	} {
		for _, p := range find("x", 1, text) {
			t.Errorf("%q in %q is fine", p.text, text)
		}
	}
	if p := find("x", 7, "one\ntwo by\nitself"); len(p) != 1 || p[0].line != 8 {
		t.Errorf("a phrase over two lines: %v", p)
	}
	source := "package p\n\nimport `at a time`\n\nvar s = f(1+g(`one is\nno two`), \"a text is \" +\n\t\"no number\" + x + \"by\")\n"
	if p := inGo(t, "x.go", []byte(source)); len(p) != 2 || p[0].line != 5 || p[1].line != 6 {
		t.Errorf("in Go: %v", p)
	}
}

// Pages that a program writes: their texts are messages, which TestPhrases reads.
var generated = map[string]bool{"doc/rules.md": true}

// known has, for each page and each folder of messages, how many phrases there are. A number may only fall.
const known = "testdata/phrases.txt"

// TestPhrases finds the phrases above in pages and in messages: string literals of Go, and what web/src shows.
func TestPhrases(t *testing.T) {
	places := map[string][]place{}
	for _, page := range markdown(t) {
		file := strings.TrimPrefix(filepath.ToSlash(page), "../")
		if !generated[file] {
			places[file] = find(file, 1, prose(read(t, page)))
		}
	}
	forSources(t, func(file string, text []byte) {
		dir := path.Dir(file)
		if strings.HasSuffix(file, ".go") {
			places[dir] = append(places[dir], inGo(t, file, text)...)
		} else {
			places["web/src"] = append(places["web/src"], find(file, 1, withoutComments(string(text)))...)
		}
	})
	now := map[string]int{}
	for where, p := range places {
		now[where] = len(p)
	}
	checkKnown(t, known, now, func(where string) {
		for _, p := range places[where] {
			t.Log(p)
		}
	})
}

// checkKnown compares counts with those of a file, one "where count" a line, which -update writes. Text that moves takes its count
// with it: it is the sum that may not rise.
func checkKnown(t *testing.T, file string, now map[string]int, list func(where string)) {
	t.Helper()
	limits, total, limit := map[string]int{}, 0, 0
	for line := range strings.Lines(read(t, file)) {
		where, count, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(count)
		if err != nil {
			t.Fatalf("%s: %q: %v", file, line, err)
		}
		limits[where], limit = n, limit+n
	}
	for _, n := range now {
		total += n
	}
	t.Logf("%d in all, %d are known in %s", total, limit, file)
	if total > limit {
		for where, n := range now {
			if n > limits[where] {
				t.Errorf("%s has %d, which is more than the %d known. New ones are among these:", where, n, limits[where])
				list(where)
			}
		}
		return
	}
	if *update {
		var b bytes.Buffer
		for _, where := range slices.Sorted(maps.Keys(now)) {
			if now[where] > 0 {
				fmt.Fprintln(&b, where, now[where])
			}
		}
		if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func inGo(t *testing.T, file string, text []byte) (found []place) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	// look finds phrases in a text, which may be several literals with a + between them. Where one ends in a blank, the next
	// begins on another line.
	look := func(literals []*ast.BasicLit) {
		if len(literals) == 0 {
			return
		}
		line := set.Position(literals[0].Pos()).Line
		var text string
		for _, l := range literals {
			if missing := set.Position(l.Pos()).Line - line - strings.Count(text, "\n"); missing > 0 && strings.HasSuffix(text, " ") {
				text = text[:len(text)-1] + "\n"
			}
			value := l.Value[1 : len(l.Value)-1]
			if l.Value[0] == '"' {
				value = strings.ReplaceAll(value, `\n`, "  ") // on the same line
			}
			text += value
		}
		found = append(found, find(file, line, text)...)
	}
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				look([]*ast.BasicLit{n})
			}
		case *ast.BinaryExpr:
			if n.Op != token.ADD {
				return true
			}
			var literals []*ast.BasicLit
			for _, part := range terms(n) {
				if l, ok := part.(*ast.BasicLit); ok && l.Kind == token.STRING {
					literals = append(literals, l)
					continue
				}
				look(literals)
				literals = nil
				ast.Inspect(part, visit)
			}
			look(literals)
			return false
		}
		return true
	}
	ast.Inspect(f, visit)
	return found
}

// terms returns what a sum adds up.
func terms(e ast.Expr) []ast.Expr {
	if sum, ok := e.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		return append(terms(sum.X), terms(sum.Y)...)
	}
	return []ast.Expr{e}
}

var webComment = regexp.MustCompile(`(?s)/\*.*?\*/|(?m:^\s*//.*$|\s// .*$)`)

func withoutComments(text string) string {
	return webComment.ReplaceAllStringFunc(text, blank)
}

// forSources calls f with every source of the repository that may have texts for people in it.
func forSources(t *testing.T, f func(file string, text []byte)) {
	t.Helper()
	count := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file := strings.TrimPrefix(filepath.ToSlash(name), "../")
		if d.IsDir() {
			if skipped(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		web := strings.HasPrefix(file, "web/src/") && (strings.HasSuffix(file, ".ts") || strings.HasSuffix(file, ".tsx")) && !strings.Contains(file, ".test.")
		if !web && (!strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go")) {
			return nil
		}
		count++
		f(file, []byte(read(t, name)))
		return nil
	})
	if err != nil || count < 100 {
		t.Fatalf("%d sources: %v", count, err)
	}
}

func skipped(dir string) bool {
	return dir == "testdata" || dir == "node_modules" || dir == "dist" || len(dir) > 2 && (dir[0] == '.' || dir[0] == '_')
}

// markdown returns all pages of the repository except the history.
func markdown(t *testing.T) (pages []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped(d.Name()):
			return fs.SkipDir
		case strings.HasSuffix(name, ".md") && d.Name() != "CHANGELOG.md":
			pages = append(pages, name)
		}
		return nil
	})
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	return pages
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	fence   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	comment = regexp.MustCompile(`(?s)<!--.*?-->`)
	inline  = regexp.MustCompile("`[^`\n]+(?:\n[^`\n]+)?`")
	target  = regexp.MustCompile(`\]\([^)\s]+\)`)
)

// blank returns as many blanks as a text is long, with its line breaks.
func blank(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, text)
}

// prose returns a page without its code, at the same lines.
func prose(page string) string {
	page = fence.ReplaceAllStringFunc(page, blank)
	page = comment.ReplaceAllStringFunc(page, blank)
	page = inline.ReplaceAllStringFunc(page, func(code string) string { return "X" + blank(code[1:]) })
	return target.ReplaceAllStringFunc(page, func(link string) string { return "]" + blank(link[1:]) })
}

// Measures of a page, and the limits for all of them.
const (
	maxAverage = 16.0 // words a sentence
	maxLong    = 2.0  // % of sentences with more than longSentence words
	longWords  = 30
	maxWords   = 1200   // a page, except for those of doc/reference
	maxAll     = 31_000 // all English pages of doc, except for doc/design and what is generated
)

type measures struct {
	words     int // as wc -w counts, with code
	sentences int
	average   float64
	long      []string // sentences
}

func (m measures) share() float64 {
	return 100 * float64(len(m.long)) / float64(max(1, m.sentences))
}

var (
	sentenceEnd = regexp.MustCompile(`[.!?][)"”*_]*\s+`)
	cellEnd     = regexp.MustCompile(`[.!?;][)"”*_]*\s+`) // fields of a value are listed with semicolons
	item        = regexp.MustCompile(`^\s*(?:[-*]|\d+\.)\s+`)
)

func measure(page string) measures {
	m := measures{words: len(strings.Fields(page))}
	total := 0
	count := func(text string, table bool) {
		end := sentenceEnd
		if table {
			end = cellEnd
		}
		for _, sentence := range end.Split(strings.TrimSpace(text), -1) {
			n := 0
			for _, w := range strings.Fields(sentence) {
				if strings.ContainsFunc(w, func(r rune) bool { return r >= '0' && r <= '9' || r >= 'A' }) {
					n++
				}
			}
			// Cells are mostly a word or two, and headings and labels are no sentences.
			if n < 3 || table && n < longWords {
				continue
			}
			m.sentences++
			total += n
			if n > longWords {
				m.long = append(m.long, sentence)
			}
		}
	}
	var paragraph strings.Builder
	flush := func() { count(paragraph.String(), false); paragraph.Reset() }
	for line := range strings.Lines(prose(page)) {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || trimmed[0] == '#' || strings.HasPrefix(trimmed, "!["):
			flush()
		case trimmed[0] == '|':
			flush()
			for cell := range strings.SplitSeq(trimmed, "|") {
				count(cell, true)
			}
		case item.MatchString(line):
			flush()
			fallthrough
		default:
			paragraph.WriteString(item.ReplaceAllString(line, "") + " ")
		}
	}
	flush()
	m.average = float64(total) / float64(max(1, m.sentences))
	return m
}

// TestProse keeps pages short, and their sentences.
func TestProse(t *testing.T) {
	all := 0
	for _, page := range markdown(t) {
		file := strings.TrimPrefix(filepath.ToSlash(page), "../")
		m := measure(read(t, page))
		inDoc := strings.HasPrefix(file, "doc/") && !strings.HasPrefix(file, "doc/design/") && !strings.HasPrefix(file, "doc/zh/")
		if inDoc && !generated[file] {
			all += m.words
		}
		if !inDoc && file != "README.md" && file != "CONTRIBUTING.md" || generated[file] {
			continue
		}
		t.Logf("%-34s %5d words, %4.1f a sentence, %4.1f %% with more than %d", file, m.words, m.average, m.share(), longWords)
		// CONTRIBUTING.md has long tables.
		if m.words > maxWords && !strings.HasPrefix(file, "doc/reference/") && file != "CONTRIBUTING.md" {
			t.Errorf("%s has %d words; want at most %d", file, m.words, maxWords)
		}
		if m.average > maxAverage {
			t.Errorf("%s has %.1f words a sentence; want at most %.1f", file, m.average, maxAverage)
		}
		if m.share() > maxLong {
			t.Errorf("%s has more than %d words in %.1f %% of its sentences; want at most %.1f %%", file, longWords, m.share(), maxLong)
			slices.SortFunc(m.long, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
			for _, s := range m.long {
				t.Logf("\t%s", strings.Join(strings.Fields(s), " "))
			}
		}
	}
	t.Logf("%d words in doc", all)
	if all > maxAll {
		t.Errorf("doc has %d words; want at most %d", all, maxAll)
	}
}
