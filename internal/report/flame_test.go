package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/profile"
)

// hostile are names that try to get out of where they stand.
var hostile = []string{
	`</script><script>alert(1)</script>`, `<!--`, `--><b>`, `]]>`, `"'&<>`, "a\x00b\x1bc\x7f", "bad\xff\xfeutf8", "\u2028line", "\ufffe\uffff",
	`main.f";alert(1)//`, "name;with;semicolons", "two\nlines\r\nand more", "# comment", "", " ", "spaced out 12", "\U0001F525", strings.Repeat("long", 5000),
}

func folded(t *testing.T, text string) *profile.Profile {
	t.Helper()
	p, err := profile.ParseFolded(strings.NewReader(text), profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// named returns a profile whose functions, files and type have the given names.
func named(names []string) *profile.Profile {
	b := profile.NewBuilder(profile.ValueType{Type: names[0], Unit: names[len(names)-1]})
	var stack []uint32
	for i, name := range names {
		f := b.Function(name, name, names[len(names)-1-i], int64(i))
		stack = append(stack, b.Location(0, 0, profile.Line{Function: f, Line: int64(i)}))
		b.Sample(stack, nil, int64(i+1))
	}
	return b.Profile()
}

func tree(t *testing.T, base, head *profile.Profile, o profile.TreeOptions) *profile.Tree {
	t.Helper()
	o.Types = []int{0}
	tr, err := profile.NewTree(head, o)
	if base != nil {
		tr, err = profile.NewDiffTree(base, head, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

const smallStacks = "main.main;main.work;runtime.mallocgc 30\nmain.main;main.work 20\nmain.main;main.wait 45\nruntime.gcBgMarkWorker;runtime.gcDrain 5\n"

func TestFlameHTMLGolden(t *testing.T) {
	var b bytes.Buffer
	head := folded(t, smallStacks)
	o := DefaultOptions()
	o.Mine = MineModule
	mine, err := Select(head, o, Env{})
	if err != nil {
		t.Fatal(err)
	}
	err = FlameHTML(&b, tree(t, nil, head, profile.TreeOptions{}), FlameOptions{
		Title:    "cpu <1>",
		Duration: 30 * time.Second,
		Time:     time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Warnings: []string{"a caveat"},
		Turns: []FlameTurn{
			{tree(t, nil, head, profile.TreeOptions{Inverted: true}), false}, {tree(t, nil, mine, profile.TreeOptions{}), true},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	page := b.String()
	_, rest, ok := strings.Cut(page, `<script type="application/json" id="data">`)
	data, rest, ok2 := strings.Cut(rest, "</script>")
	script, _, ok3 := strings.Cut(strings.TrimPrefix(rest, "\n<script>"), "</script>")
	if !ok || !ok2 || !ok3 {
		t.Fatal("the page has not the expected parts")
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(data), "", " "); err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`\[[\s\d,]*\]`).ReplaceAllStringFunc(indented.String(), func(s string) string {
		return strings.Join(strings.Fields(s), "")
	})
	golden(t, "flame.json", text+"\n")
	_, style, _ := strings.Cut(page, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	// The policy admits the script and the style as they stand in the page, and nothing else.
	_, policy, _ := strings.Cut(page, `content="`)
	policy, _, _ = strings.Cut(policy, `"`)
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	want := "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) + "; img-src data:; base-uri 'none'; form-action 'none'; " +
		"require-trusted-types-for 'script'; trusted-types 'none'"
	if policy != want {
		t.Errorf("the policy is %s, want %s", policy, want)
	}
	// Names of namespaces are no requests.
	text = regexp.MustCompile(`http://www\.w3\.org/[\w/]+`).ReplaceAllString(page, "")
	for _, forbidden := range []string{"http://", "https://", "@import", "eval(", "new Function", "importScripts", "import(", "document.write", "insertAdjacentHTML"} {
		if strings.Contains(text, forbidden) {
			t.Errorf("the page has %q", forbidden)
		}
	}
	frame := strings.NewReplacer(data, "", script, "", style, "").Replace(page)
	if found := regexp.MustCompile(`\s(style|on\w+|src|href)\s*=`).FindAllString(frame, -1); !slices.Equal(found, []string{" href="}) {
		t.Errorf("the page has the attributes %q, of which only the icon's is allowed", found)
	}
	if !strings.Contains(page, "<title>cpu &lt;1&gt; · hone</title>") {
		t.Error("the title isn't escaped")
	}
}

func TestFlameHTMLHostile(t *testing.T) {
	for _, name := range hostile {
		p := named(append([]string{name}, hostile...))
		var b bytes.Buffer
		if err := FlameHTML(&b, tree(t, nil, p, profile.TreeOptions{}), FlameOptions{Title: name, Warnings: []string{name}}); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		if n := strings.Count(page, "<script"); n != 2 {
			t.Errorf("%q: %d script elements", name, n)
		}
		if strings.Count(page, "</script") != 2 || strings.Contains(page, "<!--") {
			t.Errorf("%q: a name ends the data or begins a comment", name)
		}
		if strings.ContainsAny(page, "\x00\x1b") {
			t.Errorf("%q: control characters in the page", name)
		}
	}
}

func TestFlameSVGGolden(t *testing.T) {
	var b bytes.Buffer
	err := FlameSVG(&b, tree(t, nil, folded(t, smallStacks), profile.TreeOptions{}), FlameOptions{Title: "cpu", Width: 600, FlameUp: true})
	if err != nil {
		t.Fatal(err)
	}
	picture, _, _ := strings.Cut(b.String(), "<script>")
	golden(t, "flame.svg", picture+"</svg>\n")
}

// TestFlameSVGNames: import paths are left out, those of labels that are frames are
// not, and no name turns the text around it.
func TestFlameSVGNames(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	at := func(name, file string) uint32 {
		return b.Location(0, 0, profile.Line{Function: b.Function(name, name, file, 1), Line: 1})
	}
	b.Sample([]uint32{at("net/http.Get", "/go/src/net/http/client.go"), at("users/v1.Get", "handler"), at("gnp\u202eexe", "x.go")}, nil, 1)
	var out bytes.Buffer
	if err := FlameSVG(&out, tree(t, nil, b.Profile(), profile.TreeOptions{}), FlameOptions{Width: 900}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">http.Get</text>", `class="f whole"`, ">users/v1.Get</text>", `>gnp\u202eexe</text>`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "\u202e") {
		t.Error("a name turns the text around it")
	}
}

func TestFlameSVGWellFormed(t *testing.T) {
	base := folded(t, smallStacks)
	head := folded(t, strings.ReplaceAll(smallStacks, "wait 45", "wait 450"))
	trees := map[string]*profile.Tree{
		"hostile": tree(t, nil, named(hostile), profile.TreeOptions{}),
		"diff":    tree(t, base, head, profile.TreeOptions{Normalize: true}),
		"empty":   tree(t, nil, profile.NewBuilder(profile.ValueType{Type: "a", Unit: "b"}).Profile(), profile.TreeOptions{}),
		"folded":  tree(t, nil, folded(t, smallStacks), profile.TreeOptions{}).PruneTo(2),
	}
	for name, tr := range trees {
		for _, color := range []string{"", "package", "origin", "change"} {
			var b bytes.Buffer
			if err := FlameSVG(&b, tr, FlameOptions{Title: hostile[0] + "\x01", Warnings: hostile, Color: color}); err != nil {
				t.Fatal(err)
			}
			d := xml.NewDecoder(&b)
			frames := 0
			for {
				token, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if e, ok := token.(xml.StartElement); ok && e.Name.Local == "title" {
					frames++
				}
			}
			if name != "folded" && frames != tr.NumNodes() {
				t.Errorf("%s: %d frames, want %d", name, frames, tr.NumNodes())
			}
		}
	}
}

func TestFlameBounded(t *testing.T) {
	var stacks strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&stacks, "main.main;pkg%d.F%d;pkg%d.G%d 1\n", i%100, i%5000, i%70, i)
	}
	tr := tree(t, nil, folded(t, stacks.String()), profile.TreeOptions{})
	var page, picture bytes.Buffer
	if err := FlameHTML(&page, tr, FlameOptions{Turns: []FlameTurn{{Tree: tr}}}); err != nil {
		t.Fatal(err)
	}
	if err := FlameSVG(&picture, tr, FlameOptions{}); err != nil {
		t.Fatal(err)
	}
	if page.Len() > 4<<20 || picture.Len() > 6<<20 {
		t.Errorf("the page has %d bytes, the picture %d", page.Len(), picture.Len())
	}
}

func TestFolded(t *testing.T) {
	p := folded(t, smallStacks)
	for _, inverted := range []bool{false, true} {
		var b bytes.Buffer
		if err := Folded(&b, tree(t, nil, p, profile.TreeOptions{Inverted: inverted}), 0); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.SplitAfter(smallStacks, "\n") {
			if !strings.Contains(b.String(), line) {
				t.Errorf("inverted %v: no %q in\n%s", inverted, line, &b)
			}
		}
	}
	var b bytes.Buffer
	if err := Folded(&b, tree(t, p, folded(t, "main.main;main.work 7\n"), profile.TreeOptions{}), 0); err != nil {
		t.Fatal(err)
	}
	if want := "main.main;main.work 20 7\n"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, &b)
	}
}

func TestFoldedHostileRoundTrip(t *testing.T) {
	p := named(hostile)
	var once, twice bytes.Buffer
	if err := Folded(&once, tree(t, nil, p, profile.TreeOptions{Granularity: "functions"}), 0); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(once.String(), "\n"); got != p.NumSamples() {
		t.Errorf("%d lines for %d stacks", got, p.NumSamples())
	}
	again := folded(t, once.String())
	if err := Folded(&twice, tree(t, nil, again, profile.TreeOptions{Granularity: "functions"}), 0); err != nil {
		t.Fatal(err)
	}
	lines := func(b *bytes.Buffer) []string { return slices.Sorted(strings.Lines(b.String())) }
	if a, b := lines(&once), lines(&twice); !slices.Equal(a, b) {
		t.Errorf("reading back changes the stacks:\n%.300q\n%.300q", a, b)
	}
}

func TestChangeStep(t *testing.T) {
	for _, tt := range []struct {
		name              string
		base, head, event int64
		want              int
	}{
		{"new", 0, 1000, 0, 10},
		{"gone", 1000, 0, 0, -10},
		{"doubled", 500, 1000, 0, 5},
		{"within two deviations", 100, 120, 1, 0},
		{"beyond two deviations", 100, 150, 1, 4},
		{"few events", 100, 150, 10, 0},
		{"below a thousandth", 10, 5, 0, 0},
		{"absent", 0, 0, 0, 0},
	} {
		v := &profile.TreeValues{Total: []int64{10_000, tt.head}, BaseTotal: []int64{10_000, tt.base}, BaseScale: 1, Event: tt.event}
		if got := changeStep(v, 1, "f", chanceOf(v)); got != tt.want {
			t.Errorf("%s: step %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestPalette(t *testing.T) {
	hex := regexp.MustCompile(`^#[0-9a-f]{6}$`)
	p := svgPalette
	for _, c := range slices.Concat([]string{p.Root, p.Text, p.Dim}, p.Package, p.Origin, p.Change) {
		if !hex.MatchString(c) {
			t.Errorf("colour %q", c)
		}
	}
	for _, c := range slices.Concat([]string{p.Root}, p.Package, p.Origin, p.Change) {
		if r := contrast(t, p.Text, c); r < 4.5 {
			t.Errorf("text on %s has a contrast of %.1f", c, r)
		}
	}
}

// contrast is the contrast ratio of two colours as WCAG 2 defines it.
func contrast(t *testing.T, a, b string) float64 {
	luminance := func(s string) float64 {
		var rgb [3]uint8
		if _, err := fmt.Sscanf(s, "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); err != nil {
			t.Fatal(err)
		}
		l := 0.0
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			// A square is close enough to the curve of sRGB here.
			x := float64(rgb[i]) / 255
			l += weight * x * x
		}
		return l
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Of a comparison both sides are in the picture, and it tells which has a frame.
func TestFlameSVGOfBothSides(t *testing.T) {
	tr := tree(t, folded(t, "main.main;main.old 50\nmain.main;main.kept 100\n"), folded(t, "main.main;main.kept 100\nmain.main;main.fresh 25\n"), profile.TreeOptions{})
	for _, tt := range []struct {
		widths FlameWidths
		want   []string // frames with their widths of 700 pixels, and marks
	}{
		{WidthsBoth, []string{"all 700", "main.main 700", "main.kept 400", "main.fresh 100 new", "main.old 200 gone"}},
		{WidthsHead, []string{"all 700", "main.main 700", "main.kept 560", "main.fresh 140 new"}},
		{WidthsBase, []string{"all 700", "main.main 700", "main.kept 466.667", "main.old 233.333 gone"}},
	} {
		var b bytes.Buffer
		if err := FlameSVG(&b, tr, FlameOptions{Width: 720, Widths: tt.widths}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range regexp.MustCompile(`<title>(\S+)\n[^<]*</title><rect [^>]*width="([\d.]+)"[^>]*/>(<path[^>]*>)?`).FindAllStringSubmatch(b.String(), -1) {
			frame := m[1] + " " + m[2]
			switch {
			case strings.Contains(m[3], "dash"):
				frame += " gone"
			case m[3] != "":
				frame += " new"
			}
			got = append(got, frame)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.widths, got, tt.want)
		}
		if tt.widths == WidthsBoth && !strings.Contains(b.String(), "total 50 → 0 (-50, gone)") {
			t.Errorf("no tooltip tells that main.old is gone:\n%s", b.String())
		}
	}
}
