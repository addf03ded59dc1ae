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
	Title: "arguments are made for a record that nobody writes",
	Doc: `The arguments of a call are evaluated before the logger finds that its level is disabled: formatting with
fmt.Sprintf, encoding, and String methods then run for nothing. Ask first, as in if logger.Enabled(ctx,
slog.LevelDebug), hand over the value itself, or one with a LogValue method, which is called if the record is written;
slog's LogAttrs saves the boxes of arguments, too.

Reported where making arguments takes time in the profile and writing records takes none. Asking first leaves out what
else the arguments do, so that it is advice only.`,
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
			m.Why = fmt.Sprintf("%s runs before %s finds that its level is disabled. Ask first whether it is enabled, or hand over the value as it is.", edit.Short(callee), edit.Short(c.Name))
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
