package report

import (
	"bufio"
	"bytes"
	"cmp"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hone-go/hone/profile"
)

// FlameOptions shape a flame graph.
type FlameOptions struct {
	Title    string        // such as the name of the profile's file
	Duration time.Duration // of the collection, 0 if unknown
	Time     time.Time     // of its start, zero if unknown
	Warnings []string      // caveats, shown with the graph

	PerSecond bool // as of [Options]

	// Mine says that the tree shown is of your code alone: see [Options.Mine].
	Mine bool

	// Turns are other trees of the same profile, which the HTML page has buttons
	// for: with the leaves at the root, and of your code alone or of all. They
	// aren't derived from the tree shown, because what is folded there can't be
	// told apart any more.
	Turns []FlameTurn

	// MaxNodes bounds how many frames each tree has in the output: the widest
	// ones; others are folded into their parents. 0 is the renderer's default.
	MaxNodes int

	// Of pictures (SVG) only:
	Column  int  // the sample type, as an index in the tree's Types
	Width   int  // in pixels; 0 is 1200
	FlameUp bool // root at the bottom
	Widths  FlameWidths
	Color   string // "package", "origin" or "change"; "" is change for comparisons and package otherwise
}

// FlameTurn is another tree of the profile that a flame graph is of.
type FlameTurn struct {
	*profile.Tree
	Mine bool // as of [FlameOptions]
}

// Folded writes a tree's stacks as folded stacks: the frames from the root to
// the leaf separated by semicolons, a blank and the value. Stacks of a
// comparison have two values, base (scaled, if shares are compared) and head.
// Semicolons in names become commas and line breaks blanks.
func Folded(w io.Writer, t *profile.Tree, column int) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	names := foldedNames(t.Frames)
	v := &t.Values[column]
	var path []string
	var number []byte
	var failed error // of the writer, after which nothing is written
	walkTree(t, func(n uint32, depth int) {
		if failed != nil {
			return
		}
		if n != 0 {
			path = append(path[:depth-1], names[t.Frame[n]])
		}
		own, base := v.Self[n], int64(0)
		if v.Folded != nil {
			own += v.Folded[n]
		}
		if v.BaseTotal != nil {
			if base = v.BaseSelf[n]; v.BaseFolded != nil {
				base += v.BaseFolded[n]
			}
			base = scaledBase(v, base)
		}
		if own == 0 && base == 0 {
			return
		}
		for i := range path[:depth] {
			if i > 0 {
				bw.WriteByte(';')
			}
			if t.Inverted {
				i = depth - 1 - i
			}
			bw.WriteString(path[i])
		}
		number = number[:0]
		if v.BaseTotal != nil {
			number = strconv.AppendInt(append(number, ' '), base, 10)
		}
		number = strconv.AppendInt(append(number, ' '), own, 10)
		_, failed = bw.Write(append(number, '\n'))
	})
	return bw.Flush()
}

// scaledBase returns a base value as it compares to the head's.
func scaledBase(v *profile.TreeValues, base int64) int64 {
	if v.BaseScale == 1 {
		return base // which may be larger than a float64 is exact
	}
	return int64(math.Round(float64(base) * v.BaseScale))
}

// foldedNames returns what frames are called, each by a name of its own: with the
// line where lines are frames, with the file where functions are told apart by it.
func foldedNames(frames []profile.Frame) []string {
	names := make([]string, len(frames))
	count := map[string]int{}
	for i := range names {
		names[i] = foldedName(frames[i].Label())
		count[names[i]]++
	}
	for i := range names {
		if f := &frames[i]; count[names[i]] > 1 && f.File != "" {
			names[i] = foldedName(f.Label() + " " + f.File)
		}
	}
	return names
}

// foldedName returns name as it can stand in a line of folded stacks.
func foldedName(name string) string {
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == ';':
			return ','
		case r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029:
			return ' '
		}
		return r
	}, name))
	if strings.HasPrefix(name, "#") {
		name = "_" + name // not a comment
	}
	return cmp.Or(name, "<unknown>")
}

// walkTree calls f for each node, parents first, siblings in order, with the
// node's distance from the root.
func walkTree(t *profile.Tree, f func(n uint32, depth int)) {
	type entry struct {
		node  uint32
		depth int
	}
	todo := []entry{{0, 0}}
	for len(todo) > 0 {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		f(e.node, e.depth)
		first, end := t.Children(e.node)
		for n := end; n > first; n-- {
			todo = append(todo, entry{n - 1, e.depth + 1})
		}
	}
}

// A palette holds the colours of frames, as "#rrggbb".
type palette struct {
	Package    []string
	Origin     []string // by profile.Origin
	Change     []string // from much less over no change to much more
	Root       string
	Rest       string // frames too narrow to be shown on their own
	Text       string
	Dim        string // text that matters less
	Background string
	Match      string
	New        string // the bar of what is new
}

const (
	packageHues = 24
	changeSteps = 10 // on either side of no change
)

// svgPalette is that of pictures, which are light. The web UI has its own, with
// more shades, by the same rules: see packageHue and changeStep.
var svgPalette = makePalette()

// makePalette computes the colours in OKLCH, where equal steps look equal, so
// that no package stands out by its hue alone.
func makePalette() *palette {
	const l, c = 0.865, 0.066
	p := &palette{
		Root:       "#d9d7d0",
		Rest:       "#ebe9e3",
		Text:       "#1d1c1a",
		Dim:        "#6b6860",
		Background: "#fbfaf7",
		Match:      "#b833d6",
		New:        oklch(0.55, 0.17, 27),
	}
	for i := range packageHues {
		p.Package = append(p.Package, oklch(l, c, float64(i)*360/packageHues))
	}
	for _, o := range []struct{ chroma, hue float64 }{{0.008, 90}, {0.11, 55}, {0.075, 255}, {0.075, 165}, {0.045, 310}} {
		p.Origin = append(p.Origin, oklch(l, min(o.chroma, c*1.5), o.hue))
	}
	for i := -changeSteps; i <= changeSteps; i++ {
		x := math.Abs(float64(i)) / changeSteps
		hue := 27.0
		if i < 0 {
			hue = 255
		}
		p.Change = append(p.Change, oklch(0.9-0.2*x, 0.14*x, hue))
	}
	return p
}

// oklch converts a colour to sRGB. The matrices are those of Björn Ottosson,
// "A perceptual color space for image processing" (2020).
func oklch(l, c, hue float64) string {
	sin, cos := math.Sincos(hue * math.Pi / 180)
	a, b := c*cos, c*sin
	cube := func(x float64) float64 { return x * x * x }
	lc := cube(l + 0.3963377774*a + 0.2158037573*b)
	mc := cube(l - 0.1055613458*a - 0.0638541728*b)
	sc := cube(l - 0.0894841775*a - 1.2914855480*b)
	hex := []byte("#")
	for _, x := range []float64{
		4.0767416621*lc - 3.3077115913*mc + 0.2309699292*sc,
		-1.2684380046*lc + 2.6097574011*mc - 0.3413193965*sc,
		-0.0041960863*lc - 0.7034186147*mc + 1.7076147010*sc,
	} {
		x = min(max(x, 0), 1)
		if x <= 0.0031308 {
			x *= 12.92
		} else {
			x = 1.055*math.Pow(x, 1/2.4) - 0.055
		}
		v := strconv.FormatInt(int64(math.Round(x*255)), 16)
		hex = append(append(hex, "00"[len(v):]...), v...)
	}
	return string(hex)
}

// packageHue returns the index of a package's colour, the same everywhere.
func packageHue(pkg string) int {
	h := fnv.New32a()
	io.WriteString(h, pkg)
	x := h.Sum32()
	x ^= x >> 16
	return int(x % packageHues)
}

// changeStep returns how much node n has changed, from -changeSteps to
// changeSteps: the change relative to the larger of both values. It is 0 for
// changes below a thousandth of the total, and for those of a count of events
// that are below two standard deviations if events are independent (a Poisson
// process, whose variance is its mean).
func changeStep(v *profile.TreeValues, n uint32) int {
	head, base := float64(v.Total[n]), float64(v.BaseTotal[n])*v.BaseScale
	d, larger := head-base, max(head, base)
	if larger == 0 || math.Abs(d) < 0.001*max(float64(v.Total[0]), float64(v.BaseTotal[0])*v.BaseScale) {
		return 0
	}
	if e := float64(v.Event); e > 0 && math.Abs(d)/e < 2*math.Sqrt(head/e+base/e*v.BaseScale) {
		return 0
	}
	step := int(math.Ceil(math.Abs(d) / larger * changeSteps))
	if d < 0 {
		return -step
	}
	return step
}

// shortName returns a function's name without the folders of its import path.
func shortName(name string) string {
	head := name
	if i := strings.IndexAny(name, "[("); i > 0 {
		head = name[:i]
	}
	return name[strings.LastIndexByte(head, '/')+1:]
}

// FitName returns a function's name in at most room characters, for tables: it
// leaves out type arguments first, as the runtime's profiles do, then the folders
// of the import path, and then the middle.
func FitName(name string, room int) string {
	if utf8.RuneCountInString(name) <= room {
		return name
	}
	name = withoutTypeArguments(name)
	if utf8.RuneCountInString(name) > room {
		name = shortName(name)
	}
	runes := []rune(name)
	if len(runes) <= room {
		return name
	}
	end := (room - 1) * 2 / 3 // where names differ
	return string(runes[:room-1-end]) + "…" + string(runes[len(runes)-end:])
}

// withoutTypeArguments replaces what is in square brackets by an ellipsis.
func withoutTypeArguments(name string) string {
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch {
		case r == '[':
			if depth == 0 {
				b.WriteString("[…]")
			}
			depth++
		case r == ']' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// cutName shortens names that nobody reads to the end.
func cutName(name string) string {
	const most = 2000
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}

// facts are what a flame graph's header tells, as pairs of a name and a value.
func (o *FlameOptions) facts() [][2]string {
	facts := [][2]string{}
	if !o.Time.IsZero() && o.Time.Unix() != 0 {
		facts = append(facts, [2]string{"taken", o.Time.Format("2006-01-02 15:04 MST")})
	}
	if o.Duration > 0 {
		facts = append(facts, [2]string{"duration", o.Duration.Round(10 * time.Millisecond).String()})
	}
	return facts
}

// embed writes text so that it can stand in a script element: no "<" may be in
// it that could begin an end tag or a comment.
func embed(b *bytes.Buffer, text []byte) {
	for {
		i := bytes.IndexByte(text, '<')
		if i < 0 {
			b.Write(text)
			return
		}
		b.Write(text[:i])
		b.WriteString(`\u003c`)
		text = text[i+1:]
	}
}

// sortedKeys returns the keys of m in order.
func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
