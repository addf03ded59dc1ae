package rules

import (
	"fmt"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var readPerRequest = &advice.Rule{
	ID:    "read-per-request",
	Title: "files are read again on each call",
	Doc: `Opening, reading and closing a file are system calls, even if the disk isn't touched, and the content is allocated each
time. A service that reads the same files for each request spends its time there. Read them once at startup, and keep
what is derived from them, such as an index. If they can change, check their modification time periodically, or wait for
a signal. Embedded files are available as []byte or string without a copy if the variable has that type.

A program that processes files reads each of them once and has nothing to keep. If all reading was done by the main
goroutine, the program is considered such a tool, and nothing is reported unless a name is constant. A profile can't
distinguish a tool that reads with several goroutines from a service, so this rule only gives advice. Functions called
load or init are not reported unless a name is constant.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(`^os\.(ReadFile|Open|OpenFile|ReadDir|Stat|Lstat|openFileNolog|readFileContents)$|^os\.\(\*File\)\.|^io/ioutil\.Read|^io/fs\.(ReadFile|ReadDir|Glob|WalkDir)|^path/filepath\.(Glob|Walk|WalkDir)|^embed\.`),
	Gain:   5,
	Match:  matchReadPerRequest,
}

func matchReadPerRequest(s *advice.Site) []advice.Match {
	if s.Share(fileFrames) < 0.02 {
		return nil
	}
	loads := s.Decl != nil && (facts.IsConstructor(s.Decl.Name.Name) || strings.HasPrefix(strings.ToLower(s.Decl.Name.Name), "load"))
	var matches []advice.Match
	for _, c := range s.Calls("os.ReadFile", "os.Open", "os.ReadDir", "io/ioutil.ReadFile", "io/ioutil.ReadDir", "io/fs.ReadFile", "io/fs.ReadDir",
		"path/filepath.Glob", "io/fs.Glob", "(embed.FS).ReadFile", "(embed.FS).Open", "(embed.FS).ReadDir", "path/filepath.WalkDir", "path/filepath.Walk", "io/fs.WalkDir") {
		if facts.RunsOnce(s.Place, c.Cursor) || len(c.Args) == 0 {
			continue
		}
		arg := c.Args[0]
		if strings.HasPrefix(c.Name, "io/fs.") && len(c.Args) > 1 {
			arg = c.Args[1]
		}
		name, constant := facts.ConstantText(s.Place, arg)
		if !constant && (loads || s.OnMain()) {
			continue
		}
		m := advice.Match{Node: c.CallExpr}
		switch {
		case strings.HasPrefix(c.Name, "(embed."):
			m.Why = fmt.Sprintf("%s copies data that is embedded in the program. Read it once into a variable, or embed the file as []byte or string.", edit.Short(c.Name))
		case strings.HasPrefix(name, "/proc/") || strings.HasPrefix(name, "/sys/") || strings.HasPrefix(name, "/dev/"):
			continue // the contents differ each time
		case constant:
			m.Why = fmt.Sprintf("%s reads %s each time this runs. Read it once and keep it, or keep it until its modification time changes.", edit.Short(c.Name), edit.Quoted(name))
		default:
			m.Why = fmt.Sprintf("%s accesses the file system each time this runs. If requests need the same files again, read them once and keep the content, or what is derived from it.", edit.Short(c.Name))
		}
		matches = append(matches, m)
	}
	return matches
}

var fileFrames = lazyregexp.New(`^os\.|^io/fs\.|^io/ioutil\.|^path/filepath\.|^embed\.|^syscall\.`)
