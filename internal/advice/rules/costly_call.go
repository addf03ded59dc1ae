package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var costlyCall = &advice.Rule{
	ID:    "costly-call",
	Title: "a general function does more than needed",
	Doc: `Some functions of the standard library handle every case, and have a counterpart that handles the usual one in a
fraction of the time: strconv instead of fmt.Sscanf, netip.ParseAddr instead of net.ParseIP, a table or a product
instead of math.Pow. Others ask the operating system for facts that don't change while the program runs, such as its
host name, its folder or its own build.

It takes a twentieth of the time or memory of a benchmark or program before this is reported, and another rule that knows
more of the line goes first. What is needed only the code around knows, so that it is advice only.`,
	Class:   advice.AdviceOnly,
	Frames:  costlyFrames(),
	Generic: true,
	Match:   matchCostlyCall,
}

func costlyFrames() *lazyregexp.Regexp {
	var names []string
	for _, f := range costlyFunctions {
		names = append(names, f.Name)
	}
	return framesOf(names...)
}

func matchCostlyCall(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls() {
		f, ok := costlyByName()[c.Name]
		if !ok || facts.RunsOnce(s, c.Cursor) || facts.Excused(s, c.Cursor) || f.Kind == knowsUnicode && knowsASCII(s) || !isCost(s, c, f) {
			continue
		}
		frames := framesOf(c.Name)
		if s.Share(frames) < muchAllocated {
			continue
		}
		matches = append(matches, advice.Match{Node: c.CallExpr, Frames: frames, Gain: f.Gain,
			Why: fmt.Sprintf("%s %s.", edit.Short(c.Name), insteadOf[f.Kind])})
	}
	return matches
}

// isCost reports whether it is the function itself that costs what is below it, where that may be
// what it reads from.
func isCost(s *advice.Site, c advice.Call, f costly) bool {
	switch f.Kind {
	case limitsReader:
		n, constant := facts.ConstantInt(s, c.Args[2])
		return constant && n <= 64
	case readsLayout: // those of the standard have a way of their own
		layout, constant := facts.ConstantText(s, c.Args[0])
		return !constant || layout != time.RFC3339 && layout != time.RFC3339Nano
	case parsesAnyBase:
		return facts.IsInt(s, c.Args[1], 10) && (facts.IsInt(s, c.Args[2], 0) || facts.IsInt(s, c.Args[2], 64))
	case copiesPieces:
		callee, share := s.AllocatesMost()
		return share >= muchAllocated && framesOf(c.Name).MatchString(callee)
	}
	return true
}

// knowsASCII reports whether the function at a site distinguishes ASCII from other characters.
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

// insteadOf says for each kind what it costs and what is better. It ends a sentence that starts with
// the function's name.
var insteadOf = [...]string{
	scansByReflection:   "reads its format and what it fills by reflection, rune by rune: strings.Cut and package strconv parse the same many times faster",
	changesCase:         "goes over the whole text, and copies it if a letter changes. Turn it once, where it comes from; compare with EqualFold; or look at the few bytes that matter as they are",
	mapsRunes:           "calls a function for each rune, and copies the text from the first that changes. A loop over the bytes that returns the text itself if nothing changes is faster for ASCII",
	asksSystem:          "asks the operating system each time for what stays the same while a program runs: ask once, with sync.OnceValue or where the program begins",
	encodesTwice:        "makes the encoded text twice, as bytes and as a string: encode into an array of known size, or append it to what it becomes a part of",
	knowsUnicode:        "knows all of Unicode: where nearly all of the text is ASCII, a loop over its bytes up to the first that isn't, with a comparison and a sum for each, leaves it only the rest",
	decodesIntoSlice:    "makes a slice for what it decodes: Decode into an array of known size, or append by AppendDecode to a slice that is used again",
	copiesAll:           "copies all of it each time: what is only read needs no copy, and one in the place of another can use its memory",
	linksAny:            "allocates an element, and most values once more to become any: elements of a type of its own, with the links in it, are one allocation, and those taken out can be used again",
	asksFiles:           "asks the operating system about the file each time: keep what it said for as long as that may be, or open the file and see",
	addressesAsSlices:   "allocates the address as a slice. Package net/netip has addresses that are values, and parses and prints them without",
	joinsPaths:          "puts the parts together and cleans all of it each time: where they are clean already + does the same, and what is the same each time can be kept",
	searchesTable:       "searches a table by bisecting. Most text is ASCII: ask first whether the rune is below 0x80, and of those a [128]bool or a comparison",
	heapsAny:            "calls its five methods through an interface, and allocates each element that isn't a pointer to become any: a heap written for its type needs neither",
	bisectsByCalls:      "calls a function for each comparison. slices.BinarySearch, or the loop itself for a key of its type, needs none",
	makesText:           "makes a string each time. Where it is only written or joined, the function of package strconv that appends puts the same into a buffer without",
	parsesQuery:         "parses the query each time it is called: call it once, and ask what it returned for all that is wanted",
	searchesEnvironment: "takes a lock and searches the environment, which seldom changes: ask once, where the program begins",
	statsFiles:          "asks the operating system about each file. filepath.WalkDir and os.ReadDir have the names and kinds from the directory itself",
	splitsAll:           "makes a slice of all parts each time. Where most texts are a single part, ask first whether the separator is in them; parts that are looked at one after the other need no slice, by Cut, or by SplitSeq of Go 1.24",
	splitsIntoFew:       "makes a slice for a few parts each time: Cut takes a text in two without",
	splitsFields:        "makes a slice of all fields each time: those that are looked at one after the other need none, by FieldsSeq of Go 1.24, or by a loop that goes from one space to the next",
	splitsByCalls:       "makes a slice of all fields, and calls a function for each character: FieldsFuncSeq of Go 1.24 needs no slice, and a loop over the bytes neither",
	replacesAll:         "goes over the text twice where there is something to replace, and copies it. Several in turn are one strings.Replacer, made once",
	testsByCalls:        "calls a function for each character. IndexAny and Trim know sets of ASCII characters, and a loop over the bytes needs no calls",
	makesAddressText:    "makes a text each time. Where it is only copied, written or joined, AppendTo of net/netip puts the same into a buffer without; of net.IP it is AppendText, from Go 1.24 on",
	parsesURL:           "makes a URL each time: where the same texts come again, keep what they were parsed to",
	readsPattern:        "reads the pattern anew each time, and tries each * at all places: compare first what is fixed at its beginning or end",
	makesTimer:          "allocates a timer and a channel each time: try first what needs no waiting, in a select with default, or keep a timer and Reset it",
	copiesPieces:        "makes a copy of each piece: ReadSlice gives what is in the buffer, until the next read; a piece that is longer than the buffer is an error there",
	decodesXML:          "goes through a type by reflection, and allocates each token: code that takes what it wants of Token, or RawToken, is several times faster",
	readsLayout:         "reads the layout anew for each text. For a format of fixed columns, digits at known places and time.Date are faster, once ranges are checked, as Date takes 31 February for 3 March; of several layouts, let the length or a byte of the text say which it is",
	fillsTable:          "fills a table of 256 entries each time: keep it in a variable of the package",
	parsesBuildInfo:     "parses what the linker has written about the program each time: read it once, with sync.OnceValues",
	stopsProgram:        "stops the whole program each time. Package runtime/metrics reads single numbers without, and most need them no more than once a second",
	makesNetworkText:    "makes a text each time. To compare two, compare IP and Mask; as a key of a map, netip.Prefix is a value",
	makesNumberBytes:    "makes a slice each time: FillBytes fills one that is kept, or an array",
	limitsReader:        "makes an io.LimitedReader for these few bytes, and perhaps a buffer: io.ReadFull reads them, ReadByte a single one",
	addsContext:         "allocates a context, and often a copy of the value, each time: put all that a call needs into one value",
	copiesRequest:       "copies the request each time: with a single context that has all that handlers need, it is copied once",
	escapesPath:         "checks RawPath against Path, or looks for what of Path has to be escaped, each time: ask once for each request, and hand the text on. Path alone will do where escapes make no difference",
	parsesAnyBase:       "works for all bases and sizes: for decimal numbers of fewer than 19 digits Atoi is faster. It returns an int, which has 32 bits on some machines",
	makesTimeText:       "makes a new string each time: AppendFormat appends to a buffer that can be used again. Where many are of the same second or day, keep the text of the last one",
	repeatsText:         "makes a new string each time: of one that is long enough and kept, a part of the length needed is no copy",
	raisesToAny:         "works for any exponent: small whole powers are products, powers of 2 shifts or math.Ldexp, and powers of 10 a table",
	parsesMediaType:     "parses all parameters into a map each time: compare the text with the usual types first, or keep what was parsed by it",
	readsClock:          "reads the clock, for some 40 ns each time. Where many steps may have the time of one, read it once and hand it on; for a span that is only told when it is long, measure that alone",
	asksForRandom:       "asks the operating system for each few bytes. What may be guessed is for package math/rand/v2; for identifiers, a bufio.Reader of rand.Reader behind a lock asks once for many",
	makesNumber:         "allocates a number each time: keep a constant one in a variable that is only read, and set others, by SetInt64, in one that is used again",
	printsStack:         "walks the stack and prints it each time: runtime.Callers keeps what can be printed if it is read",
}
