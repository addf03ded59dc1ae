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
	Doc: `Files, pipes and connections are read by the system, which takes half a microsecond or more for each call, whatever
it reads. fmt.Fscan and its like read a byte at a time from what can't take one back, so that each byte is a system call;
binary.Read and io.ReadFull of a few bytes take one for each value. A bufio.Reader reads 4 KiB at a time.

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
				from = "what is read"
			}
			m.Why = fmt.Sprintf("%s reads %s byte by byte, each in a system call. Put a bufio.Reader around it before the loop.", edit.Short(c.Name), from)
		default:
			m.Why = fmt.Sprintf("%s in this loop ends in a system call each time. If it reads less than some kilobytes at once, put a bufio.Reader around it before the loop.", edit.Short(c.Name))
			m.Gain = 3
		}
		matches = append(matches, m)
	}
	return matches
}
