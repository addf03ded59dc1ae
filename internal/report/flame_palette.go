package report

import (
	"hash/fnv"
	"io"
	"math"
	"strconv"

	"github.com/hone-go/hone/profile"
)

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

// changeStep returns how much a node of some values has changed, from -changeSteps
// to changeSteps: the change relative to the larger of both values. It is 0 for
// changes below a thousandth of the total, and for those that chance explains.
func changeStep(v *profile.TreeValues, n uint32, frame string, c *Chance) int {
	head, base := float64(v.Total[n]), float64(v.BaseTotal[n])*v.BaseScale
	d, larger := head-base, max(head, base)
	if larger == 0 || math.Abs(d) < leastChange*max(float64(v.Total[0]), float64(v.BaseTotal[0])*v.BaseScale) {
		return 0
	}
	if c.sure(frame, true, base, head, v.BaseScale) == 0 {
		return 0
	}
	step := int(math.Ceil(math.Abs(d) / larger * changeSteps))
	if d < 0 {
		return -step
	}
	return step
}
