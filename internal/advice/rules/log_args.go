package rules

import (
	"fmt"
	"go/ast"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/advice/edit"
	"github.com/hone-go/hone/internal/lazyregexp"
)

var logArgs = &advice.Rule{
	ID:    "log-args",
	Title: "arguments are computed for a disabled log level",
	Doc: `The arguments of a call are evaluated before the logger checks its level. Formatting with fmt.Sprintf, encoding and
String methods then run for nothing. Check first, as in if logger.Enabled(ctx, slog.LevelDebug), or pass the value
itself, or one with a LogValue method, which is called only if the record is written. slog's LogAttrs also avoids boxing
the arguments.

The rule reports arguments that take time in the profile where writing records takes none. Checking first also skips any
side effects of the arguments, so this rule only gives advice.`,
	Class:  advice.AdviceOnly,
	Frames: lazyregexp.New(`^(fmt|encoding/json|encoding/hex|strconv|strings|net/http/httputil|log|log/slog|time|reflect)\.|\)\.(String|Error|GoString)$`),
	Gain:   5,
	Match:  matchLogArgs,
}

// quiet matches functions that log at levels that are usually disabled; handles matches what only runs
// if they are enabled.
var (
	quiet   = lazyregexp.New(`(Debug|Trace|Verbose)(f|ln|w|Context)?$`)
	handles = lazyregexp.New(`^log/slog\.\(\*(commonHandler|TextHandler|JSONHandler|handleState)\)\.|\)\.(Handle|Fire)$|^log\.\(\*Logger\)\.output|^github\.com/sirupsen/logrus\.\(\*?Entry\)\.(log|write)|^go\.uber\.org/zap\.\(\*Logger\)\.Write|zapcore\.\(\*CheckedEntry\)\.Write`)
)

func matchLogArgs(s *advice.Site) []advice.Match {
	var matches []advice.Match
	for _, c := range s.Calls() {
		if !logs.MatchString(c.Name) || !quiet.MatchString(c.Name) || asked(c.Cursor, s) {
			continue
		}
		for _, a := range c.Args {
			call, ok := ast.Unparen(a).(*ast.CallExpr)
			if !ok {
				continue
			}
			callee := s.Callee(call)
			if callee == "" || strings.HasPrefix(callee, "log/slog.") || strings.HasPrefix(callee, "context.") || s.Info.Types[call.Fun].IsType() || callee == "len" {
				continue
			}
			m := advice.Match{Node: call, Frames: framesOf(callee)}
			if s.Share(m.Frames) < 0.01 || s.Share(handles) > 0 {
				continue
			}
			m.Why = fmt.Sprintf("%s runs before %s finds that the level is disabled. Check whether it is enabled first, or pass the value itself.", edit.Short(callee), edit.Short(c.Name))
			matches = append(matches, m)
		}
	}
	return matches
}

// asked reports whether a place is inside an if that checks a level.
func asked(c inspector.Cursor, s *advice.Site) bool {
	for outer := range c.Enclosing((*ast.IfStmt)(nil)) {
		cond := s.Source(outer.Node().(*ast.IfStmt).Cond)
		for _, word := range []string{"nabled", "Level", "level", "ebug", "race", "erbose", ".V("} {
			if strings.Contains(cond, word) {
				return true
			}
		}
	}
	return false
}
