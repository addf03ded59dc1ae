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
	Title: "looking up the caller takes part of the time",
	Doc: `To know from where it was called, a logger walks the stack, and looks up file and line in the program's tables: a
microsecond or so for each record, more than formatting it takes. In packages log and log/slog log.Lshortfile, log.Llongfile and
AddSource ask for it; others have options such as ReportCaller, AddCaller or WithCaller. Leave it out where many records
are written, or keep it for warnings and errors. runtime.Caller of one's own can often be a constant, or a program
counter that is only looked up when it is printed.

What a log has to say is its readers' business, so that it is advice only.`,
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
			option := "an option of the logger, such as AddCaller or ReportCaller,"
			switch {
			case strings.Contains(c.Name, "log/slog."):
				if strings.Contains(c.Name, "Handler") {
					continue
				}
				option = "AddSource of slog.HandlerOptions"
			case strings.HasPrefix(strings.TrimLeft(c.Name, "(*"), "log."):
				option = "log.Lshortfile or log.Llongfile"
			}
			matches = append(matches, advice.Match{Node: c.CallExpr,
				Why: fmt.Sprintf("%s walks the stack for each record, to say from where it was called: %s asks for it. Leave it out here, or keep it for warnings and errors.", edit.Short(c.Name), option)})
		case c.Name == "runtime.Caller" || c.Name == "runtime.Callers" || c.Name == "runtime.FuncForPC":
			if facts.RunsOnce(s, c.Cursor) {
				continue
			}
			matches = append(matches, advice.Match{Node: c.CallExpr,
				Why: fmt.Sprintf("%s walks the stack each time this runs. If the place is always the same, write it down; if it is seldom looked at, keep the program counters of runtime.Callers and look them up when it is.", edit.Short(c.Name))})
		}
	}
	return matches
}
