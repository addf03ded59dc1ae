package rules

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// Smaller shares of all bytes or objects are not reported; someAllocated is for lines where it is
// clear what to do.
const (
	muchAllocated = 0.05
	someAllocated = 0.01
)

const (
	muchWaiting = 0.1
	longWaiting = 10 * time.Millisecond
)

// framesOf matches functions, given as go/types names them, by their names in profiles, with their
// type arguments.
func framesOf(functions ...string) *lazyregexp.Regexp {
	var names []string
	for _, name := range functions {
		names = append(names, regexp.QuoteMeta(symbolOf(name)))
	}
	return lazyregexp.New(`^(` + strings.Join(names, "|") + `)(\[.*)?$`)
}

// symbolOf is the name of a function or method in profiles: time.Time.Format for (time.Time).Format,
// and a.(*T).M for (*a.T).M.
func symbolOf(name string) string {
	receiver, method, ok := strings.Cut(name, ").")
	if !ok {
		return name
	}
	receiver, pointer := strings.CutPrefix(strings.TrimPrefix(receiver, "("), "*")
	if !pointer {
		return receiver + "." + method
	}
	dot := strings.LastIndexByte(receiver, '.')
	return fmt.Sprintf("%s.(*%s).%s", receiver[:dot], receiver[dot+1:], method)
}

// logs matches functions of loggers.
var logs = lazyregexp.New(`^\(?\*?(log|log/slog|github\.com/sirupsen/logrus|github\.com/rs/zerolog(/log)?|go\.uber\.org/zap|github\.com/go-kit/log|github\.com/golang/glog|k8s\.io/klog(/v2)?|github\.com/hashicorp/go-hclog)\.`)

// formatted are functions below those of fmt that do the same work whoever calls them: methods of
// arguments, and writing.
var formatted = lazyregexp.New(`^fmt\.\(\*pp\)\.handleMethods$|` + writes)

var jsonFrames = lazyregexp.New(`^encoding/json[./]`)

var growFrames = lazyregexp.New(`^runtime\.growslice`)

var mapLookup = lazyregexp.New(`^runtime\.(mapaccess|mapassign)|^internal/runtime/maps\.`)

const writes = `(\.\w+|\))\.Write$`

var (
	writeMethod = lazyregexp.New(writes)
	printing    = lazyregexp.New(`^(fmt|io)\.`)
)

// reachedWriters are the Write methods that the line calls, also through packages fmt and io.
func reachedWriters(s *advice.Site) []string { return s.Reached(writeMethod, printing) }
