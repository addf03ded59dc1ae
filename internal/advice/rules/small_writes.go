package rules

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var smallWrites = &advice.Rule{
	ID:    "small-writes",
	Title: "each write is a system call",
	Doc: `A file, a pipe or a connection is written to by the system: each call takes half a microsecond or more, whether it
writes one byte or a thousand. A bufio.Writer collects the pieces and writes 4 KiB at a time; bufio.NewWriterSize takes
more. fmt.Println writes to os.Stdout, which isn't buffered either.

What is buffered has to be flushed, with its error looked at: at the end, and before waiting for an answer. Where that is
the rule can't see, so that it is advice only. Loggers write each record at once on purpose, and are not reported.`,
	Class:  advice.AdviceOnly,
	Frames: writeFrames,
	Gain:   10,
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
		to := "what is written to"
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
			to = "what is written to"
		}
		matches = append(matches, advice.Match{Node: c.CallExpr,
			Why: fmt.Sprintf("%s in this loop ends in a system call each time. Put a bufio.Writer around %s before the loop, write to that, and flush it after.", edit.Short(c.Name), to)})
	}
	return matches
}

// isBuffer reports whether a call writes to memory.
func isBuffer(s *advice.Site, c advice.Call) bool {
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
