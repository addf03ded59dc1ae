package rules

import (
	"fmt"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var smallReads = &advice.Rule{
	ID:    "small-reads",
	Title: "each read is a system call",
	Doc: `A read from a file, pipe or connection is a system call, which takes about half a microsecond for one byte or a
thousand. fmt.Scan and its variants read os.Stdin, or any reader without ReadRune, byte by byte. A bufio.Reader around
it reads 4 KiB per call.

fmt.Fscan on a bufio.Reader still parses by reflection; a bufio.Scanner with strconv is faster. binary.Read on structs
uses reflection, too: read a whole record, and get the fields with functions such as binary.LittleEndian.Uint32.

A bufio.Reader reads ahead: data that it has read is missing if other code reads from the same source. The rule can't
see that, so it only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(readCalls + `|^encoding/binary\.(Read|Write|Size|dataSize|intDataSize|\(\*(de|en)coder\)\.)`),
	Gain:   10,
	Match:  matchSmallReads,
}

const (
	gainOfRecords = 5 // of reading a record in one piece, and its fields with package binary
	gainOfBuffer  = 3 // of a bufio.Reader for pieces of a few dozen bytes
)

const readCalls = `^os\.\(\*File\)\.Read|^internal/poll\.\(\*FD\)\.Read|^syscall\.[rR]ead$|^net\.\(\*conn\)\.Read`

var (
	readFrames    = lazyregexp.New(readCalls)
	binaryReflect = lazyregexp.New(`^encoding/binary\.(dataSize|\(\*(de|en)coder\)\.)|^reflect\.`)
	readAhead     = lazyregexp.New(`^bufio\.|^net/http\.|^compress/|^crypto/tls\.`)
)

func matchSmallReads(s *advice.Site) []advice.Match {
	var matches []advice.Match
	direct := s.Share(readFrames) >= 0.02 && s.Share(readAhead) == 0
	for _, c := range s.Calls("fmt.Scan", "fmt.Scanf", "fmt.Scanln", "fmt.Fscan", "fmt.Fscanf", "fmt.Fscanln", "io.ReadFull", "io.ReadAtLeast",
		"(*os.File).Read", "(io.Reader).Read", "(net.Conn).Read", "(*net.TCPConn).Read", "encoding/binary.Read", "encoding/binary.Write") {
		m := advice.Match{Node: c.CallExpr}
		switch {
		case strings.HasPrefix(c.Name, "encoding/binary."):
			if s.Share(binaryReflect) < 0.01 {
				continue
			}
			m.Title = "binary values are read or written by reflection"
			m.Why = fmt.Sprintf("%s walks the fields by reflection and allocates. Read or write the bytes of a whole record, and its fields with functions such as binary.LittleEndian.Uint32 and AppendUint32.", edit.Short(c.Name))
			m.Gain = gainOfRecords
		case !direct || !facts.InLoop(c.Cursor):
			continue
		case strings.HasPrefix(c.Name, "fmt."):
			from := "os.Stdin"
			if strings.HasPrefix(c.Name, "fmt.F") {
				from = s.Source(c.Args[0])
			}
			if !edit.OneLine(from) {
				from = "the input"
			}
			m.Why = fmt.Sprintf("%s reads %s with a system call per byte. Wrap it in a bufio.Reader before the loop.", edit.Short(c.Name), from)
		default:
			m.Why = fmt.Sprintf("%s makes a system call in each iteration. If it reads less than a few kilobytes, wrap the input in a bufio.Reader before the loop.", edit.Short(c.Name))
			m.Gain = gainOfBuffer
		}
		matches = append(matches, m)
	}
	return matches
}
