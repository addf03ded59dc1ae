package rules

import (
	"fmt"
	"strings"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/advice/facts"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var callerLookup = &advice.Rule{
	ID:    "caller-lookup",
	Title: "looking up the caller is expensive",
	Doc: `To log the caller's position, a logger walks the stack and looks up file and line in the program's tables. This takes
about a microsecond per record, more than formatting the record. In log and log/slog, log.Lshortfile, log.Llongfile and
AddSource enable it; other loggers have options such as ReportCaller, AddCaller or WithCaller. Turn it off where many
records are written, or keep it for warnings and errors. Your own runtime.Caller can often be a constant, or a program
counter that you only resolve when it is printed.

hone can't know what the readers of a log need, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: callerFrames,
	Gain:   2,
	Match:  matchCallerLookup,
}

var callerFrames = lazyregexp.New(`^runtime\.(Callers?|CallersFrames|FuncForPC|\(\*Frames\)\.Next|callers|pcvalue|funcline1?|funcNameForPrint)$`)

func matchCallerLookup(s *advice.Site) []advice.Match {
	if s.Share(callerFrames) < 0.02 {
		return nil
	}
	var matches []advice.Match
	for _, c := range s.Calls() {
		switch {
		case logs.MatchString(c.Name):
			option := "a logger option such as AddCaller or ReportCaller"
			switch {
			case strings.Contains(c.Name, "log/slog."):
				if strings.Contains(c.Name, "Handler") {
					continue
				}
				option = "AddSource in slog.HandlerOptions"
			case strings.HasPrefix(strings.TrimLeft(c.Name, "(*"), "log."):
				option = "log.Lshortfile or log.Llongfile"
			}
			matches = append(matches, advice.Match{Node: c.CallExpr,
				Why: fmt.Sprintf("%s walks the stack for each record to log the caller's position, because of %s. Turn that off here, or keep it for warnings and errors.", edit.Short(c.Name), option)})
		case c.Name == "runtime.Caller" || c.Name == "runtime.Callers" || c.Name == "runtime.FuncForPC":
			if facts.RunsOnce(s.Place, c.Cursor) {
				continue
			}
			matches = append(matches, advice.Match{Node: c.CallExpr,
				Why: fmt.Sprintf("%s walks the stack each time this runs. If the position is always the same, use a constant; if it is rarely printed, keep the program counters from runtime.Callers and resolve them when needed.", edit.Short(c.Name))})
		}
	}
	return matches
}
