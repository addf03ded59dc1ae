package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var encoderPerCall = &advice.Rule{
	ID:    "encoder-per-call",
	Title: "a writer, reader or hash with large state is created per call",
	Doc: `A gzip.Writer has about 800 kB of tables, a gzip.Reader 40 kB, and a bufio.Reader or Writer a buffer of 4 kB. Creating
one per call means allocating, clearing and collecting that memory each time, which takes longer than the work itself
for short texts. Most of these types have a Reset method, so a sync.Pool can reuse them.

The rewrite covers a gzip.Writer, zlib.Writer, bufio.Writer or bufio.Reader that is created outside of loops and doesn't
leave its function, and hashes: it takes one from a pool, resets it, and puts it back at the end. Review it, because a pooled object
keeps a reference to what it last wrote to, and a function that receives the object may keep it. For other types, the
finding says what to do instead. It also covers functions of other modules that call a constructor like NewEncoder each
time.`,
	Class:     advice.Review,
	Frames:    encoderFrames,
	Allocates: true,
	Since:     "1.18",
	Gain:      3,
	Match:     matchEncoderPerCall,
	Conditions: advice.Conditions{
		Offered: "a hash, gzip.Writer, zlib.Writer, bufio.Writer or bufio.Reader is created outside of loops and doesn't leave its function",
		Review:  "no code keeps the object after the function returns; the destination it last wrote to may stay referenced until it is reused",
	},
}

var encoderFrames = lazyregexp.New(`^compress/\w+\.New\w+$|^compress/flate\.\(\*(compressor|decompressor)\)\.init|^compress/flate\.new|` +
	`^bufio\.New\w+$|^bufio\.\(\*Scanner\)\.Scan$|^encoding/(csv|gob|json|xml)\.New\w+$|^encoding/(base32|base64|hex)\.New(Encoder|Decoder)$|^encoding/json\.\(\*Decoder\)\.refill$|` +
	`^crypto(/internal/fips140)?/(sha1|sha256|sha512|md5|hmac)\.New\w*$|` +
	`^hash/(adler32|crc32|crc64|fnv)\.New\w*$|^text/tabwriter\.(NewWriter|\(\*Writer\)\.addLine)$|` +
	`^golang\.org/x/text/(cases\.(Title|Upper|Lower)|collate\.New|message\.NewPrinter)$|` + foreignEncoder.String())

// foreignEncoder matches constructors of other modules: the first element of their paths contains a
// dot.
var foreignEncoder = lazyregexp.New(`^[^/.]+\.[^/]+/.*\.New(Encoder|Decoder|Writer|Reader|Parser)\w*$`)

// An encoderKind describes what a constructor creates.
type encoderKind struct {
	frames string // of the work of creating it
	advice string
	// pooled is its type in a pool, and methods those that don't keep or return its internals; "" if
	// there is no rewrite.
	pooled  string
	methods string
}

// Functions that Go 1.22 added for text in one piece.
const (
	encodesOnce = "If the data is in one piece, AppendEncode (Go 1.22) appends the text to a []byte without allocating, for example to the AvailableBuffer of a bytes.Buffer."
	decodesOnce = "If the text is in one piece, AppendDecode (Go 1.22) appends the decoded bytes to a []byte without allocating."
)

const sumsByHand = "Package fnv allocates a hash per call and takes strings as bytes. Its sum is a loop with two operations per byte, which you can write here; maphash.String hashes a string in one call, with a seed that differs per process."

var encoderKinds = map[string]encoderKind{
	"compress/gzip.NewWriter": {frames: `^compress/(gzip|flate)\.`, pooled: "Writer", methods: "Write Close Flush Reset",
		advice: "gzip.NewWriter allocates a compressor with about 800 kB of tables per call. Reuse writers from a sync.Pool with Reset."},
	"compress/gzip.NewWriterLevel": {frames: `^compress/(gzip|flate)\.`,
		advice: "gzip.NewWriterLevel allocates a compressor with up to 1 MB of tables per call. Reuse writers from a sync.Pool per level with Reset."},
	"compress/zlib.NewWriter": {frames: `^compress/(zlib|flate)\.`, pooled: "Writer", methods: "Write Close Flush Reset",
		advice: "zlib.NewWriter allocates a compressor with about 800 kB of tables per call. Reuse writers from a sync.Pool with Reset."},
	"compress/zlib.NewWriterLevel": {frames: `^compress/(zlib|flate)\.`,
		advice: "zlib.NewWriterLevel allocates a compressor with up to 1 MB of tables per call. Reuse writers from a sync.Pool per level with Reset."},
	"compress/flate.NewWriter": {frames: `^compress/flate\.`,
		advice: "flate.NewWriter allocates a compressor with up to 1 MB of tables per call. Reuse writers from a sync.Pool per level with Reset."},
	"compress/gzip.NewReader": {frames: `^compress/(gzip|flate)\.`,
		advice: "gzip.NewReader allocates a decompressor of about 40 kB per call. Reuse gzip.Readers from a sync.Pool with Reset."},
	"compress/zlib.NewReader": {frames: `^compress/(zlib|flate)\.`,
		advice: "zlib.NewReader allocates a decompressor of about 40 kB per call. Reuse readers from a sync.Pool with zlib.Resetter."},
	"compress/flate.NewReader": {frames: `^compress/flate\.`,
		advice: "flate.NewReader allocates a decompressor of about 40 kB per call. Reuse readers from a sync.Pool with flate.Resetter."},
	"bufio.NewWriter": {frames: `^bufio\.New`, pooled: "Writer", methods: "Write WriteString WriteByte WriteRune Flush Buffered Available Reset",
		advice: "bufio.NewWriter allocates a buffer of 4 kB per call. Keep the writer next to its destination, or reuse writers from a sync.Pool with Reset."},
	"bufio.NewReader": {frames: `^bufio\.New`, pooled: "Reader", methods: "Read ReadString ReadByte ReadBytes ReadRune UnreadByte UnreadRune Discard Buffered Reset",
		advice: "bufio.NewReader allocates a buffer of 4 kB per call. Keep the reader next to its source, or reuse readers from a sync.Pool with Reset."},
	"bufio.NewWriterSize": {frames: `^bufio\.New`,
		advice: "bufio.NewWriterSize allocates a buffer per call. Keep the writer next to its destination, or reuse writers from a sync.Pool with Reset."},
	"bufio.NewReaderSize": {frames: `^bufio\.New`,
		advice: "bufio.NewReaderSize allocates a buffer per call. Keep the reader next to its source, or reuse readers from a sync.Pool with Reset."},
	"bufio.NewScanner": {frames: `^bufio\.(NewScanner|\(\*Scanner\)\.Scan)$`,
		advice: "Each bufio.Scanner allocates a buffer of at least 4 kB. Pass it a reused one with Buffer; split a text that is already in memory with strings.Lines or bytes.Lines."},
	"encoding/csv.NewReader": {frames: `^(bufio|encoding/csv)\.New`,
		advice: "csv.NewReader allocates a bufio.Reader of 4 kB per call. Use one reader for all records from the same source."},
	"encoding/csv.NewWriter": {frames: `^(bufio|encoding/csv)\.New`,
		advice: "csv.NewWriter allocates a bufio.Writer of 4 kB per call. Use one writer for all records to the same destination."},
	"encoding/gob.NewEncoder": {frames: `^encoding/gob\.`,
		advice: "Each gob.Encoder compiles and sends the types it encodes. Keep one per connection or file; for single messages, gob is among the slowest encodings."},
	"encoding/gob.NewDecoder": {frames: `^encoding/gob\.`,
		advice: "Each gob.Decoder receives and compiles the types it decodes. Keep one per connection or file; for single messages, gob is among the slowest encodings."},
	"encoding/hex.NewEncoder":    {frames: `^encoding/hex\.NewEncoder$`, advice: "hex.NewEncoder allocates buffers of more than 1 kB per call. " + encodesOnce},
	"encoding/base64.NewEncoder": {frames: `^encoding/base64\.NewEncoder$`, advice: "base64.NewEncoder allocates buffers of more than 1 kB per call. " + encodesOnce},
	"encoding/base32.NewEncoder": {frames: `^encoding/base32\.NewEncoder$`, advice: "base32.NewEncoder allocates buffers of more than 1 kB per call. " + encodesOnce},
	"encoding/hex.NewDecoder":    {frames: `^encoding/hex\.NewDecoder$`, advice: "hex.NewDecoder allocates buffers of more than 1 kB per call. " + decodesOnce},
	"encoding/base64.NewDecoder": {frames: `^encoding/base64\.NewDecoder$`, advice: "base64.NewDecoder allocates buffers of more than 1 kB per call. " + decodesOnce},
	"encoding/base32.NewDecoder": {frames: `^encoding/base32\.NewDecoder$`, advice: "base32.NewDecoder allocates buffers of more than 1 kB per call. " + decodesOnce},
	"golang.org/x/text/cases.Title": {frames: `^golang\.org/x/text/cases\.Title$`,
		advice: "cases.Title looks up the language and allocates a Caser per call. A Caser isn't safe for concurrent use: keep them in a sync.Pool, or one per goroutine."},
	"golang.org/x/text/cases.Upper": {frames: `^golang\.org/x/text/cases\.Upper$`,
		advice: "cases.Upper looks up the language and allocates a Caser per call. A Caser isn't safe for concurrent use: keep them in a sync.Pool, or one per goroutine."},
	"golang.org/x/text/cases.Lower": {frames: `^golang\.org/x/text/cases\.Lower$`,
		advice: "cases.Lower looks up the language and allocates a Caser per call. A Caser isn't safe for concurrent use: keep them in a sync.Pool, or one per goroutine."},
	"golang.org/x/text/collate.New": {frames: `^golang\.org/x/text/collate\.New$`,
		advice: "collate.New looks up the language's order and allocates a Collator with its tables per call. A Collator isn't safe for concurrent use: keep them in a sync.Pool."},
	"golang.org/x/text/message.NewPrinter": {frames: `^golang\.org/x/text/message\.NewPrinter$`,
		advice: "message.NewPrinter looks up the language's catalog and number formats per call. Keep a printer per language and goroutine; a printer isn't safe for concurrent use."},
	"text/tabwriter.NewWriter": {frames: `^text/tabwriter\.(NewWriter|\(\*Writer\)\.addLine)$`,
		advice: "tabwriter.NewWriter allocates a writer per call, whose cells and lines grow from zero. Keep one and call Init, which reuses their memory."},
	"crypto/hmac.New": {frames: `^crypto/`,
		advice: "hmac.New hashes the key and allocates two hashes per call. If the key stays the same, keep the result, per goroutine or in a sync.Pool, and call Reset."},
	"crypto/sha256.New":  {frames: `^crypto/`, advice: "sha256.New allocates a hash per call. If the data is in one piece, sha256.Sum256 returns the sum without allocating; otherwise keep the hash and call Reset."},
	"crypto/sha1.New":    {frames: `^crypto/`, advice: "sha1.New allocates a hash per call. If the data is in one piece, sha1.Sum returns the sum without allocating; otherwise keep the hash and call Reset."},
	"crypto/sha512.New":  {frames: `^crypto/`, advice: "sha512.New allocates a hash per call. If the data is in one piece, sha512.Sum512 returns the sum without allocating; otherwise keep the hash and call Reset."},
	"hash/fnv.New32":     {frames: `^hash/fnv\.New`, advice: sumsByHand},
	"hash/fnv.New32a":    {frames: `^hash/fnv\.New`, advice: sumsByHand},
	"hash/fnv.New64":     {frames: `^hash/fnv\.New`, advice: sumsByHand},
	"hash/fnv.New64a":    {frames: `^hash/fnv\.New`, advice: sumsByHand},
	"hash/crc32.NewIEEE": {frames: `^hash/crc32\.New`, advice: "crc32.NewIEEE allocates a hash per call. If the data is in one piece, crc32.ChecksumIEEE returns the sum without allocating; for several pieces, crc32.Update continues from the previous sum."},
	"crypto/md5.New":     {frames: `^crypto/`, advice: "md5.New allocates a hash per call. If the data is in one piece, md5.Sum returns the sum without allocating; otherwise keep the hash and call Reset."},
}

func matchEncoderPerCall(s *advice.Site) []advice.Match {
	if s.Share(encoderFrames) == 0 {
		return nil // something else on the line is hot
	}
	var matches []advice.Match
	for _, c := range s.Nodes() {
		for _, made := range madeBy(s, c) {
			call := made.Node().(*ast.CallExpr)
			kind := encoderKinds[s.Callee(call)]
			frames := lazyregexp.New(kind.frames)
			if s.Share(frames) == 0 || facts.RunsOnce(s.Place, made) || facts.Pooled(s.Place, made) || slices.ContainsFunc(matches, func(m advice.Match) bool { return m.Node == call }) {
				continue
			}
			m := advice.Match{Node: call, Class: advice.AdviceOnly, Why: kind.advice}
			if kind.pooled != "" {
				poolEncoder(s, made, &kind, &m)
			} else if isHash(s, call) && poolObject(s, made, &m) {
				m.Class = advice.Review
			}
			matches = append(matches, m)
		}
	}
	if len(matches) == 0 && s.Share(foreignEncoder) > 0 {
		return foreignEncoders(s)
	}
	return matches
}

// isHash reports whether a call makes a hash, whose methods are known to keep nothing.
func isHash(s *advice.Site, call *ast.CallExpr) bool {
	return strings.HasPrefix(facts.TypeName(s.Info.TypeOf(call)), "hash.Hash")
}

// foreignEncoders matches functions of other modules that create such an object on each call.
func foreignEncoders(s *advice.Site) []advice.Match {
	for _, c := range s.Calls() {
		if first, _, _ := strings.Cut(strings.TrimLeft(c.Name, "(*"), "/"); !strings.Contains(first, ".") || !strings.Contains(c.Name, "/") ||
			strings.HasPrefix(strings.TrimLeft(c.Name, "(*"), s.Path+".") || facts.RunsOnce(s.Place, c.Cursor) || facts.Pooled(s.Place, c.Cursor) {
			continue
		}
		return []advice.Match{{Node: c.CallExpr, Class: advice.AdviceOnly, Frames: foreignEncoder,
			Why: fmt.Sprintf("%s creates an encoder, or something similar, per call. If it can be reused, keep one with its buffer in a longer-lived object or a sync.Pool.", edit.Called(s, c.CallExpr))}}
	}
	return nil
}

// madeBy returns the constructor calls that a node is about: itself, or those of the variables that a
// call receives or whose method it calls. Much is only created when it is first used.
func madeBy(s *advice.Site, c inspector.Cursor) (made []inspector.Cursor) {
	call, ok := c.Node().(*ast.CallExpr)
	if !ok {
		return nil
	}
	if _, ok := encoderKinds[s.Callee(call)]; ok {
		return []inspector.Cursor{c}
	}
	users := slices.Clone(call.Args)
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		users = append(users, sel.X)
	}
	for _, e := range users {
		obj := facts.Object(s.Place, e)
		if obj == nil || !facts.IsLocal(s.Place, obj) {
			continue
		}
		for in := range s.Func.Preorder((*ast.AssignStmt)(nil)) {
			assign := in.Node().(*ast.AssignStmt)
			if len(assign.Rhs) != 1 || facts.Object(s.Place, assign.Lhs[0]) != obj {
				continue
			}
			if by, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr); ok {
				if at, ok := in.FindNode(by); ok && encoderKinds[s.Callee(by)].advice != "" {
					made = append(made, at)
				}
			}
		}
	}
	return made
}

// poolEncoder takes the object of a variable from a pool, and puts it back at the end of the function.
func poolEncoder(s *advice.Site, c inspector.Cursor, kind *encoderKind, m *advice.Match) {
	call := c.Node().(*ast.CallExpr)
	assign, ok := c.Parent().Node().(*ast.AssignStmt)
	if !ok || assign.Tok != token.DEFINE || len(assign.Lhs) != 1 || len(call.Args) != 1 || s.Decl == nil || s.Func.Node() != s.Decl || facts.InLoop(c) || facts.Jumps(s.Place) {
		return
	}
	if block, ok := c.Parent().Parent().Node().(*ast.BlockStmt); !ok || block != s.Decl.Body {
		return
	}
	obj := facts.Object(s.Place, assign.Lhs[0])
	pkg, constructor, ok := strings.Cut(s.Source(call.Fun), ".")
	if obj == nil || !ok || constructor != call.Fun.(*ast.SelectorExpr).Sel.Name || facts.UsesName(call.Args[0], obj.Name()) || !staysInside(s, obj, kind) {
		return
	}
	named := s.Info.TypeOf(call).(*types.Pointer).Elem().(*types.Named)
	if named.Obj().Pkg().Path() == "bufio" && !isNever(s.Info.TypeOf(call.Args[0]), s.Info.TypeOf(call)) {
		return // if it receives another one, it creates none
	}
	syncPkg, ok := facts.PackageName(s.Place, "sync", s.Decl.Pos())
	if !ok || !facts.Builtins(s.Place, s.Decl.Pos(), "any", "nil") {
		return
	}
	name := s.Unused(named.Obj().Pkg().Name()+kind.pooled+"s", call.Pos())
	typ := fmt.Sprintf("*%s.%s", pkg, kind.pooled)
	m.Edits = []advice.Edit{
		edit.BeforeDecl(s, fmt.Sprintf("var %s = %s.Pool{New: func() any { return %s(nil) }}", name, syncPkg, s.Source(call.Fun))),
		edit.Replace(call, fmt.Sprintf("%s.Get().(%s)", name, typ)),
		edit.Insert(assign.End(), fmt.Sprintf("\n%s.Reset(%s)\ndefer %s.Put(%s)", obj.Name(), s.Source(call.Args[0]), name, obj.Name())),
	}
	m.Imports = []string{"sync"}
	m.Class = advice.Review
	m.Why += fmt.Sprintf(" Check that no code keeps %s after the function returns.", obj.Name())
}

// isNever reports whether a value of a type certainly doesn't have another, concrete type.
func isNever(t, concrete types.Type) bool {
	if i, ok := t.Underlying().(*types.Interface); ok {
		return !types.Implements(concrete, i)
	}
	return !types.Identical(t, concrete)
}

// staysInside reports whether a variable is only used for calls of some methods, or passed to
// functions that don't keep it.
func staysInside(s *advice.Site, obj types.Object, kind *encoderKind) bool {
	inside, closed := true, !slices.Contains(strings.Fields(kind.methods), "Close")
	s.Func.Inspect([]ast.Node{(*ast.Ident)(nil), (*ast.FuncLit)(nil)}, func(c inspector.Cursor) bool {
		if lit, ok := c.Node().(*ast.FuncLit); ok {
			inside = inside && !facts.Mentions(s.Place, lit, obj)
			return false
		}
		if s.Info.Uses[c.Node().(*ast.Ident)] != obj {
			return true
		}
		switch p := c.Parent().Node().(type) {
		case *ast.SelectorExpr:
			call, ok := c.Parent().Parent().Node().(*ast.CallExpr)
			if !ok || call.Fun != p || !slices.Contains(strings.Fields(kind.methods), p.Sel.Name) {
				inside = false
			}
			if _, isGo := c.Parent().Parent().Parent().Node().(*ast.GoStmt); isGo {
				inside = false
			}
			closed = closed || p.Sel.Name == "Close"
		case *ast.CallExpr:
			switch s.Callee(p) {
			case "io.Copy", "io.CopyN", "io.CopyBuffer", "io.WriteString", "fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln":
			default:
				inside = false
			}
			if _, isGo := c.Parent().Parent().Node().(*ast.GoStmt); isGo {
				inside = false
			}
		default:
			inside = false
		}
		return true
	})
	return inside && closed
}
