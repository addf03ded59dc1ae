package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/code"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var smallWrites = &advice.Rule{
	ID:    "small-writes",
	Title: "each write is a system call",
	Doc: `Writing to a file, pipe or connection is a system call, which takes half a microsecond or more for one byte or a
thousand. A bufio.Writer collects the pieces and writes 4 KiB per call; bufio.NewWriterSize takes a larger size.
fmt.Println writes to os.Stdout, which isn't buffered either.

Flush the buffer and check the error: at the end, and before waiting for a reply. The rule can't see where that is, so
it only gives advice. Loggers write each record immediately on purpose and are not reported.`,
	Class:  advice.AdviceOnly,
	Frames: writeFrames,
	Gain:   7,
	Match:  matchSmallWrites,
}

var (
	writeFrames    = lazyregexp.New(`^os\.\(\*File\)\.Write|^internal/poll\.\(\*FD\)\.Write|^syscall\.[wW]rite$|^net\.\(\*conn\)\.Write`)
	bufferedFrames = lazyregexp.New(`^bufio\.|^net/http\.|^compress/|^crypto/tls\.|^log[./]`)
)

func matchSmallWrites(s *advice.Site) []advice.Match {
	if s.Share(writeFrames) < 0.02 || s.Share(bufferedFrames) > 0 {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Calls("fmt.Fprint", "fmt.Fprintf", "fmt.Fprintln", "fmt.Print", "fmt.Printf", "fmt.Println", "io.WriteString",
		"(*os.File).Write", "(*os.File).WriteString", "(io.Writer).Write", "(io.StringWriter).WriteString", "(net.Conn).Write", "(*net.TCPConn).Write", "(*net.UnixConn).Write",
		"(*encoding/json.Encoder).Encode", "encoding/binary.Write") {
		if !facts.InLoop(c.Cursor) {
			continue
		}
		to := "the destination"
		switch {
		case strings.HasPrefix(c.Name, "fmt.P"):
			to = "os.Stdout"
		case strings.HasPrefix(c.Name, "fmt.F") || strings.HasPrefix(c.Name, "io.W") || strings.HasPrefix(c.Name, "encoding/"):
			to = s.Source(c.Args[0])
		default:
			if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
				to = s.Source(sel.X)
			}
		}
		if isBuffer(s, c) {
			continue
		}
		if strings.HasSuffix(c.Name, "Encode") || !edit.OneLine(to) {
			to = "the destination"
		}
		matches = append(matches, advice.Match{Node: c.CallExpr,
			Why: fmt.Sprintf("%s makes a system call in each iteration. Wrap %s in a bufio.Writer before the loop, write to that, and flush it afterwards.", edit.Short(c.Name), to)})
	}
	return matches
}

// isBuffer reports whether a call writes to memory.
func isBuffer(s *advice.Site, c code.Call) bool {
	if len(c.Args) == 0 {
		return false
	}
	t := s.Info.TypeOf(c.Args[0])
	if t == nil {
		return false
	}
	switch types.TypeString(t, nil) {
	case "*bytes.Buffer", "*strings.Builder", "*bufio.Writer", "net/http.ResponseWriter":
		return true
	}
	return false
}
