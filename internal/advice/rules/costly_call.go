package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
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

The call must take a twentieth of the time or memory of a benchmark or program to be reported, and a rule that knows
more about the line takes precedence. Only the surrounding code shows what is needed, so this rule only gives advice.`,
	Class:   advice.AdviceOnly,
	Frames:  costlyFrames(),
	Generic: true,
	Match:   matchCostlyCall,
}

func costlyFrames() *lazyregexp.Regexp {
	var names []string
	for _, f := range facts.CostlyFunctions() {
		names = append(names, f.Name)
	}
	return framesOf(names...)
}

func matchCostlyCall(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls() {
		f, ok := facts.Costly(c.Name)
		if !ok || facts.RunsOnce(s.Place, c.Cursor) || facts.RarelyRuns(s.Place, c.Cursor) || f.Kind == facts.KnowsUnicode && knowsASCII(s) || !isCost(s, c, f) {
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

// isCost reports whether the function itself causes the cost below it, if that might also be what it
// reads from.
func isCost(s *advice.Site, c code.Call, f facts.CostlyFunction) bool {
	switch f.Kind {
	case facts.LimitsReader:
		n, constant := facts.ConstantInt(s.Place, c.Args[2])
		return constant && n <= 64
	case facts.ReadsLayout: // the standard layouts have a fast path
		layout, constant := facts.ConstantText(s.Place, c.Args[0])
		return !constant || layout != time.RFC3339 && layout != time.RFC3339Nano
	case facts.ParsesAnyBase:
		return facts.IsInt(s.Place, c.Args[1], 10) && (facts.IsInt(s.Place, c.Args[2], 0) || facts.IsInt(s.Place, c.Args[2], 64))
	case facts.CopiesPieces:
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
			if n.Kind == token.INT && (facts.IsInt(s.Place, n, 127) || facts.IsInt(s.Place, n, 128)) {
				return true
			}
		}
	}
	return false
}

// insteadOf says for each kind what it costs and what is better. It ends a sentence that starts with
// the function's name.
var insteadOf = [...]string{
	facts.ScansByReflection:   "reads its format and arguments by reflection, rune by rune; strings.Cut and package strconv parse the same many times faster",
	facts.ChangesCase:         "processes the whole text, and copies it if a letter changes. Convert it once, at its source; compare with EqualFold; or inspect the few bytes that matter directly",
	facts.MapsRunes:           "calls a function per rune, and copies the text from the first rune that changes. For ASCII, a loop over the bytes that returns the text unchanged if possible is faster",
	facts.AsksSystem:          "asks the operating system each time for something that doesn't change while the program runs; ask once, at startup or with sync.OnceValue",
	facts.EncodesTwice:        "creates the encoded text twice, as bytes and as a string; encode into an array of known size, or append to the destination",
	facts.KnowsUnicode:        "handles all of Unicode. If most of the text is ASCII, loop over its bytes up to the first non-ASCII one, with a comparison and an addition each, and call it only for the rest",
	facts.DecodesIntoSlice:    "allocates a slice for the decoded bytes; use Decode with an array of known size, or AppendDecode with a reused slice",
	facts.CopiesAll:           "copies everything each time; data that is only read needs no copy, and a replacement can reuse the memory of the old copy",
	facts.LinksAny:            "allocates an element, and usually another object to box the value in any. A list type with typed values and its own links needs one allocation, and can reuse removed elements",
	facts.AsksFiles:           "asks the operating system about the file each time; keep the answer as long as it may be stale, or open the file and handle the error",
	facts.AddressesAsSlices:   "allocates the address as a slice; addresses of package net/netip are values, and are parsed and formatted without allocating",
	facts.JoinsPaths:          "joins and cleans all parts each time; if they are already clean, + does the same, and constant results can be kept",
	facts.SearchesTable:       "does a binary search in a table. Most text is ASCII: check whether the rune is below 0x80 first, and use a [128]bool or a comparison for those",
	facts.HeapsAny:            "calls five methods through an interface, and allocates to box each element that isn't a pointer; a heap written for the type avoids both",
	facts.BisectsByCalls:      "calls a function for each comparison; slices.BinarySearch, or a loop for the key type, doesn't",
	facts.MakesText:           "allocates a string each time. If it is only written or joined, append to a buffer with the Append function of strconv",
	facts.ParsesQuery:         "parses the query on each call; call it once and read all values from the result",
	facts.SearchesEnvironment: "takes a lock and searches the environment, which rarely changes; read it once, at startup",
	facts.StatsFiles:          "asks the operating system about each file; filepath.WalkDir and os.ReadDir get names and types from the directory itself",
	facts.SplitsAll:           "allocates a slice for all parts each time. If most texts have a single part, check for the separator first; to go through parts one by one, use Cut, or SplitSeq (Go 1.24)",
	facts.SplitsIntoFew:       "allocates a slice for a few parts each time; Cut splits a text in two without a slice",
	facts.SplitsFields:        "allocates a slice for all fields each time; to go through fields one by one, use FieldsSeq (Go 1.24), or a loop from one space to the next",
	facts.SplitsByCalls:       "allocates a slice for all fields, and calls a function per character; FieldsFuncSeq (Go 1.24) or a loop over the bytes needs no slice",
	facts.ReplacesAll:         "processes the text twice if there is something to replace, and copies it; combine several replacements in one strings.Replacer, created once",
	facts.TestsByCalls:        "calls a function per character; IndexAny and Trim take sets of ASCII characters, and a loop over the bytes needs no calls",
	facts.MakesAddressText:    "allocates a string each time. If it is only copied, written or joined, append to a buffer with AppendTo of net/netip, or with AppendText of net.IP (Go 1.24)",
	facts.ParsesURL:           "allocates a URL each time; if texts repeat, keep the parsed URLs by their text",
	facts.ReadsPattern:        "parses the pattern each time, and tries each * at all positions; first compare the fixed text at its start or end",
	facts.MakesTimer:          "allocates a timer and a channel each time; first try operations that don't wait, in a select with default, or keep a timer and call Reset",
	facts.CopiesPieces:        "copies each piece; ReadSlice returns the bytes in the buffer, valid until the next read, and an error for a piece longer than the buffer",
	facts.DecodesXML:          "walks the type by reflection, and allocates each token; code that reads Token or RawToken directly is several times as fast",
	facts.ReadsLayout:         "parses the layout for each text. For a format with fixed columns, read the digits at known positions and call time.Date, which is faster; check the ranges first, because Date turns 31 February into 3 March. If there are several layouts, choose by the length or a byte of the text",
	facts.FillsTable:          "fills a table of 256 entries each time; keep it in a package variable",
	facts.ParsesBuildInfo:     "parses the build information in the binary each time; read it once, with sync.OnceValues",
	facts.StopsProgram:        "stops the whole program each time. Package runtime/metrics reads single values without that, and once a second is usually enough",
	facts.MakesNetworkText:    "allocates a string each time. To compare networks, compare IP and Mask; as a map key, use netip.Prefix",
	facts.MakesNumberBytes:    "allocates a slice each time; FillBytes fills a reused slice or an array",
	facts.LimitsReader:        "allocates an io.LimitedReader for these few bytes, and perhaps a buffer; use io.ReadFull, or ReadByte for a single byte",
	facts.AddsContext:         "allocates a context, and often a copy of the value, each time; put everything a call needs into one value",
	facts.CopiesRequest:       "copies the request each time; use a single context with everything the handlers need, so that it is copied once",
	facts.EscapesPath:         "compares RawPath with Path, or escapes Path, each time; call it once per request and pass the result on, or use Path if escaping doesn't matter",
	facts.ParsesAnyBase:       "handles all bases and sizes; Atoi is faster for decimal numbers of fewer than 19 digits, but returns an int, which has 32 bits on some platforms",
	facts.MakesTimeText:       "allocates a string each time; AppendFormat appends to a reused buffer. If many times share the same second or day, keep the last text",
	facts.RepeatsText:         "allocates a string each time; slice a string that is long enough instead",
	facts.RaisesToAny:         "handles any exponent; write small integer powers as products, powers of 2 as shifts or math.Ldexp, and powers of 10 as a table",
	facts.ParsesMediaType:     "parses all parameters into a map each time; compare the text with common types first, or keep results by their text",
	facts.ReadsClock:          "reads the clock, which takes about 40 ns. If several steps can share a timestamp, read it once and pass it on; measure a duration only if you report it",
	facts.AsksForRandom:       "asks the operating system for each few bytes. If the values may be predictable, use math/rand/v2; for identifiers, read many bytes at once through a bufio.Reader with a lock",
	facts.MakesNumber:         "allocates a number each time; keep constants in variables that are only read, and set others with SetInt64 in a reused variable",
	facts.PrintsStack:         "walks the stack and formats it each time; keep the program counters from runtime.Callers and format them only when they are read",
}
