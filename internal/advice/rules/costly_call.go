package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var costlyCall = &advice.Rule{
	ID:    "costly-call",
	Title: "a function does more than is needed here",
	Doc: `Some functions of the standard library are made for any case, and have something beside them that does the usual one
for a fraction: strconv beside fmt.Sscanf, netip.ParseAddr beside net.ParseIP, a table or a product beside math.Pow. Others ask the
operating system for what stays as it is while the program runs: its host, its folder, its own build.

It takes a twentieth of the time or memory of a benchmark or program before this is reported, and another rule that knows
more of the line goes first. What is needed only the code around knows, so that it is advice only.`,
	Class:   advice.AdviceOnly,
	Frames:  costlyFrames(),
	Generic: true,
	Match:   matchCostlyCall,
}

// A costly function, and what is better.
type costly struct {
	gain    float64
	instead string
}

const (
	scans      = "reads its format and what it fills by reflection, rune by rune: strings.Cut and package strconv parse the same many times faster"
	lowers     = "goes over the whole text, and copies it if a letter changes. Turn it once, where it comes from; compare with EqualFold; or look at the few bytes that matter as they are"
	mapsRunes  = "calls a function for each rune, and copies the text from the first that changes. A loop over the bytes that returns the text itself if nothing changes is faster for ASCII"
	asksOnce   = "asks the operating system each time for what stays the same while a program runs: ask once, with sync.OnceValue or where the program begins"
	encodes    = "makes the encoded text twice, as bytes and as a string: encode into an array of known size, or append it to what it becomes a part of"
	characters = "knows all of Unicode: where nearly all of the text is ASCII, a loop over its bytes up to the first that isn't, with a comparison and a sum for each, leaves it only the rest"
	decodes    = "makes a slice for what it decodes: Decode into an array of known size, or append by AppendDecode to a slice that is used again"
	copies     = "copies all of it each time: what is only read needs no copy, and one in the place of another can use its memory"
	listed     = "allocates an element, and most values once more to become any: elements of a type of its own, with the links in it, are one allocation, and those taken out can be used again"
	asksFiles  = "asks the operating system about the file each time: keep what it said for as long as that may be, or open the file and see"
	addresses  = "allocates the address as a slice. Package net/netip has addresses that are values, and parses and prints them without"
	joins      = "puts the parts together and cleans all of it each time: where they are clean already + does the same, and what is the same each time can be kept"
	searches   = "searches a table by bisecting. Most text is ASCII: ask first whether the rune is below 0x80, and of those a [128]bool or a comparison"
	heaps      = "calls its five methods through an interface, and allocates each element that isn't a pointer to become any: a heap written for its type needs neither"
	bisects    = "calls a function for each comparison. slices.BinarySearch, or the loop itself for a key of its type, needs none"
	texts      = "makes a string each time. Where it is only written or joined, the function of package strconv that appends puts the same into a buffer without"
	parsesURL  = "parses the query each time it is called: call it once, and ask what it returned for all that is wanted"
	variables  = "takes a lock and searches the environment, which seldom changes: ask once, where the program begins"
	stats      = "asks the operating system about each file. filepath.WalkDir and os.ReadDir have the names and kinds from the directory itself"
	splits     = "makes a slice of all parts each time. Where most texts are a single part, ask first whether the separator is in them; parts that are looked at one after the other need no slice, by Cut, or by SplitSeq of Go 1.24"
	cuts       = "makes a slice for a few parts each time: Cut takes a text in two without"
	fields     = "makes a slice of all fields each time: those that are looked at one after the other need none, by FieldsSeq of Go 1.24, or by a loop that goes from one space to the next"
	fieldsBy   = "makes a slice of all fields, and calls a function for each character: FieldsFuncSeq of Go 1.24 needs no slice, and a loop over the bytes neither"
	replaces   = "goes over the text twice where there is something to replace, and copies it. Several in turn are one strings.Replacer, made once"
	tests      = "calls a function for each character. IndexAny and Trim know sets of ASCII characters, and a loop over the bytes needs no calls"
	appends    = "makes a text each time. Where it is only copied, written or joined, AppendTo of net/netip puts the same into a buffer without; of net.IP it is AppendText, from Go 1.24 on"
	parsesText = "makes a URL each time: where the same texts come again, keep what they were parsed to"
	globs      = "reads the pattern anew each time, and tries each * at all places: compare first what is fixed at its beginning or end"
	timers     = "allocates a timer and a channel each time: try first what needs no waiting, in a select with default, or keep a timer and Reset it"
	lines      = "makes a copy of each piece: ReadSlice gives what is in the buffer, until the next read; a piece that is longer than the buffer is an error there"
	elements   = "goes through a type by reflection, and allocates each token: code that takes what it wants of Token, or RawToken, is several times faster"
	layouts    = "reads the layout anew for each text. For a format of fixed columns, digits at known places and time.Date are faster, once ranges are checked, as Date takes 31 February for 3 March; of several layouts, let the length or a byte of the text say which it is"
	tables     = "fills a table of 256 entries each time: keep it in a variable of the package"
)

// costlyFunctions have names as go/types writes them.
var costlyFunctions = map[string]costly{
	"fmt.Sscanf": {10, scans}, "fmt.Sscan": {10, scans}, "fmt.Sscanln": {10, scans}, "fmt.Fscanf": {10, scans}, "fmt.Fscan": {10, scans}, "fmt.Fscanln": {10, scans},
	"strings.ToLower": {2, lowers}, "strings.ToUpper": {2, lowers}, "bytes.ToLower": {2, lowers}, "bytes.ToUpper": {2, lowers},
	"strings.ToTitle": {2, lowers}, "strings.Title": {2, lowers},
	"strings.Map": {2, mapsRunes}, "bytes.Map": {2, mapsRunes},
	"os.Hostname": {50, asksOnce}, "os.Getwd": {50, asksOnce}, "os.Executable": {50, asksOnce}, "os.UserHomeDir": {50, asksOnce}, "os/user.Current": {50, asksOnce},
	"net.Interfaces": {50, asksOnce}, "net.InterfaceAddrs": {50, asksOnce},
	"runtime/debug.ReadBuildInfo": {50, "parses what the linker has written about the program each time: read it once, with sync.OnceValues"},
	"runtime.ReadMemStats":        {50, "stops the whole program each time. Package runtime/metrics reads single numbers without, and most need them no more than once a second"},
	"encoding/hex.EncodeToString": {1.5, encodes},
	"net.ParseIP":                 {2, addresses},
	"net.ParseCIDR":               {2, addresses},
	"(net.IP).String":             {2, addresses}, "(net.IP).MarshalText": {1.5, appends}, "(net/netip.Addr).String": {1.5, appends}, "(net/netip.Addr).MarshalText": {1.5, appends},
	"strings.Split": {1.5, splits}, "strings.SplitN": {1.5, cuts}, "strings.Fields": {1.5, fields}, "strings.FieldsFunc": {1.5, fieldsBy},
	"bytes.Split": {1.5, splits}, "bytes.SplitN": {1.5, cuts}, "bytes.Fields": {1.5, fields}, "bytes.FieldsFunc": {1.5, fieldsBy},
	"strings.Replace": {1.5, replaces}, "strings.ReplaceAll": {1.5, replaces},
	"strings.IndexFunc": {1.5, tests}, "strings.ContainsFunc": {1.5, tests}, "strings.TrimFunc": {1.5, tests}, "strings.TrimLeftFunc": {1.5, tests}, "strings.TrimRightFunc": {1.5, tests},
	"bytes.IndexFunc": {1.5, tests}, "bytes.ContainsFunc": {1.5, tests}, "bytes.TrimFunc": {1.5, tests}, "bytes.TrimLeftFunc": {1.5, tests}, "bytes.TrimRightFunc": {1.5, tests},
	"net/url.Parse": {2, parsesText}, "net/url.ParseRequestURI": {2, parsesText},
	"(*net.IPNet).String": {2, "makes a text each time. To compare two, compare IP and Mask; as a key of a map, netip.Prefix is a value"},
	"time.NewTimer":       {2, timers}, "time.NewTicker": {2, timers},
	"(*bufio.Reader).ReadString": {1.2, lines}, "(*bufio.Reader).ReadBytes": {1.2, lines},
	"(*math/big.Int).Bytes":                 {1.5, "makes a slice each time: FillBytes fills one that is kept, or an array"},
	"io.CopyN":                              {2, "makes an io.LimitedReader for these few bytes, and perhaps a buffer: io.ReadFull reads them, ReadByte a single one"},
	"(*encoding/xml.Decoder).DecodeElement": {2, elements}, "(*encoding/xml.Decoder).Decode": {2, elements}, "encoding/xml.Unmarshal": {2, elements},
	"context.WithValue":               {1.2, "allocates a context, and often a copy of the value, each time: put all that a call needs into one value"},
	"(*net/http.Request).WithContext": {1.2, "copies the request each time: with a single context that has all that handlers need, it is copied once"},
	"(*net/url.URL).EscapedPath":      {1.5, "checks RawPath against Path, or looks for what of Path has to be escaped, each time: ask once for each request, and hand the text on. Path alone will do where escapes make no difference"},
	"strconv.ParseInt":                {1.2, "works for all bases and sizes: for decimal numbers of fewer than 19 digits Atoi is faster. It returns an int, which has 32 bits on some machines"},
	"time.ParseInLocation":            {2, layouts},
	"path.Match":                      {2, globs}, "path/filepath.Match": {2, globs}, "path/filepath.EvalSymlinks": {3, asksFiles},
	"(time.Time).Format": {1.3, "makes a new string each time: AppendFormat appends to a buffer that can be used again. Where many are of the same second or day, keep the text of the last one"},
	"time.Parse":         {2, layouts},
	"strings.Repeat":     {2, "makes a new string each time: of one that is long enough and kept, a part of the length needed is no copy"},
	"math.Pow":           {5, "works for any exponent: small whole powers are products, powers of 2 shifts or math.Ldexp, and powers of 10 a table"},
	"path.Join":          {2, joins}, "path/filepath.Join": {2, joins},
	"path/filepath.Abs": {2, joins},
	"unicode.ToLower":   {2, characters}, "unicode.ToUpper": {2, characters}, "unicode.SimpleFold": {2, characters},
	"unicode.Is": {3, searches}, "unicode.In": {3, searches}, "unicode.IsOneOf": {3, searches},
	"container/heap.Push": {1.5, heaps}, "container/heap.Pop": {1.5, heaps}, "container/heap.Fix": {1.5, heaps}, "container/heap.Init": {1.5, heaps}, "container/heap.Remove": {1.5, heaps},
	"sort.Search": {1.5, bisects}, "sort.Find": {1.5, bisects},
	"strconv.FormatFloat": {1.3, texts}, "strconv.Quote": {1.3, texts},
	"(*net/url.URL).Query": {2, parsesURL},
	"mime.ParseMediaType":  {3, "parses all parameters into a map each time: compare the text with the usual types first, or keep what was parsed by it"},
	"os.Getenv":            {10, variables}, "os.LookupEnv": {10, variables},
	"path/filepath.Walk": {2, stats}, "io/ioutil.ReadDir": {2, stats},
	"time.Now": {2, "reads the clock, for some 40 ns each time. Where many steps may have the time of one, read it once and hand it on; for a span that is only told when it is long, measure that alone"},
	"os.Stat":  {3, asksFiles}, "os.Lstat": {3, asksFiles}, "os/exec.LookPath": {50, asksOnce},
	"crypto/rand.Read":          {3, "asks the operating system for each few bytes. What may be guessed is for package math/rand/v2; for identifiers, a bufio.Reader of rand.Reader behind a lock asks once for many"},
	"math/big.NewInt":           {2, "allocates a number each time: keep a constant one in a variable that is only read, and set others, by SetInt64, in one that is used again"},
	"runtime/debug.Stack":       {5, "walks the stack and prints it each time: runtime.Callers keeps what can be printed if it is read"},
	"encoding/hex.DecodeString": {1.5, decodes}, "(*encoding/base64.Encoding).DecodeString": {1.5, decodes},
	"slices.Clone": {1.5, copies}, "maps.Clone": {1.5, copies}, "(net/http.Header).Clone": {1.5, copies},
	"(*container/list.List).PushFront": {1.5, listed}, "(*container/list.List).PushBack": {1.5, listed},
	"hash/crc32.MakeTable": {10, tables}, "hash/crc64.MakeTable": {10, tables},
	"(*encoding/base64.Encoding).EncodeToString": {1.5, encodes},
}

func costlyFrames() *lazyregexp.Regexp {
	return framesOf(slices.Sorted(maps.Keys(costlyFunctions))...)
}

func matchCostlyCall(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls() {
		f, ok := costlyFunctions[c.Name]
		if !ok || facts.RunsOnce(s, c.Cursor) || facts.Excused(s, c.Cursor) || f.instead == characters && knowsASCII(s) || !isCost(s, c, f) {
			continue
		}
		frames := framesOf(c.Name)
		if s.Share(frames) < muchAllocated {
			continue
		}
		matches = append(matches, advice.Match{Node: c.CallExpr, Frames: frames, Gain: f.gain,
			Why: fmt.Sprintf("%s %s.", edit.Short(c.Name), f.instead)})
	}
	return matches
}

// isCost reports whether it is the function itself that costs what is below it, where that may be
// what it reads from.
func isCost(s *advice.Site, c advice.Call, f costly) bool {
	switch {
	case c.Name == "io.CopyN":
		n, constant := facts.ConstantInt(s, c.Args[2])
		return constant && n <= 64
	case f.instead == layouts: // those of the standard have a way of their own
		layout, constant := facts.ConstantText(s, c.Args[0])
		return !constant || layout != time.RFC3339 && layout != time.RFC3339Nano
	case c.Name == "strconv.ParseInt":
		return facts.IsInt(s, c.Args[1], 10) && (facts.IsInt(s, c.Args[2], 0) || facts.IsInt(s, c.Args[2], 64))
	case f.instead == lines:
		callee, share := s.AllocatesMost()
		return share >= muchAllocated && framesOf(c.Name).MatchString(callee)
	}
	return true
}

// knowsASCII reports whether the function at a site tells ASCII from other characters.
func knowsASCII(s *advice.Site) bool {
	for n := range ast.Preorder(s.Func.Node()) {
		switch n := n.(type) {
		case *ast.Ident:
			if n.Name == "RuneSelf" || n.Name == "MaxASCII" || n.Name == "MaxLatin1" {
				return true
			}
		case *ast.BasicLit:
			if n.Kind == token.INT && (facts.IsInt(s, n, 127) || facts.IsInt(s, n, 128)) {
				return true
			}
		}
	}
	return false
}
