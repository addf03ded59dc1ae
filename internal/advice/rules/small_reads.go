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

binary.Read and binary.Write also allocate, and find out by reflection what the fields of a struct are:
binary.LittleEndian.Uint32 and its like read from a []byte without either.

A bufio.Reader may read ahead of what is wanted, so that all that follows has to be read from it: advice only.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(readCalls + `|^encoding/binary\.(Read|Write|Size|dataSize|intDataSize|\(\*(de|en)coder\)\.)`),
	Gain:   10,
	Match:  matchSmallReads,
}

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
			m.Why = fmt.Sprintf("%s goes through the fields by reflection, and allocates. Take the bytes of a whole record, and read or write its fields with binary.LittleEndian.Uint32 and its like, or their Append.", edit.Short(c.Name))
			m.Gain = 5
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
			m.Why = fmt.Sprintf("%s in this loop ends in a system call each time. If it reads less than some kilobytes at once, put a bufio.Reader around it before the loop.", edit.Short(c.Name))
			m.Gain = 3
		}
		matches = append(matches, m)
	}
	return matches
}
