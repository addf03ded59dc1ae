package notify

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/hone-go/hone/internal/api"
)

// A text says what happened, for people: in one sentence, and the details.
type text struct{ headline, details string }

// words returns the text of an event. name writes names, which come from profiles: functions,
// services and versions.
func words(what string, r *api.Regression, name func(string) string) text {
	function, verb := name(r.Function), "costs"
	if r.Callees {
		function, verb = function+" and what it calls", "cost"
	}
	at := time.UnixMilli(r.Since).UTC().Format("2006-01-02 15:04 UTC")
	since, when := "since "+at, "since then"
	if r.Version != "" {
		since, when = "since version "+name(r.Version), "since "+at
	}
	more := fmt.Sprintf("%s more %s", percent(r.Growth), costs(r.Kind))
	switch {
	case what == resolved && r.Growth == 0:
		return text{fmt.Sprintf("%s in %s: the cost of %s is gone", costs(r.Kind), name(r.Service), function), "It was new " + since + "."}
	case what == resolved:
		return text{fmt.Sprintf("The cost of %s in %s is as before", function, name(r.Service)), fmt.Sprintf("It was %s %s.", more, since)}
	case r.Growth == 0:
		return text{fmt.Sprintf("New %s in %s %s: %s", costs(r.Kind), name(r.Service), since, function), details(r, name, r.Cost(r.After), when)}
	}
	return text{
		fmt.Sprintf("%s %s %s in %s %s", function, verb, more, name(r.Service), since),
		details(r, name, fmt.Sprintf("%s before, %s after", r.Cost(r.Before), r.Cost(r.After)), when),
	}
}

// details says how much it is, where and why.
func details(r *api.Regression, name func(string) string, cost, when string) string {
	out := fmt.Sprintf("%s, on %d of %d instances, %s.", cost, r.Affected, r.Instances, when)
	if len(r.New) > 0 {
		const most = 3
		var names []string
		for _, f := range r.New[:min(len(r.New), most)] {
			names = append(names, name(f))
		}
		if len(r.New) > most {
			names = append(names, "…")
		}
		out += " New below it: " + strings.Join(names, ", ") + "."
	}
	return out
}

// percent returns a share with two or three digits.
func percent(share float64) string {
	if v := 100 * share; v < 10 {
		return fmt.Sprintf("%.1f %%", v)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// costs names what a kind of profile measures.
func costs(kind string) string {
	switch kind {
	case "cpu":
		return "CPU time"
	case "allocs":
		return "allocated memory"
	case "heap":
		return "heap memory"
	case "mutex":
		return "time of waiting for its locks"
	case "block":
		return "waiting time"
	case "goroutine":
		return "goroutines"
	}
	return plain(kind)
}

// maxText bounds a name, in characters: profiles of others can have names of any length.
const maxText = 300

// plain returns a name without characters that aren't text, and not too long.
func plain(name string) string {
	runes := []rune(strings.ToValidUTF8(name, "\uFFFD"))
	if len(runes) > maxText {
		runes = append(runes[:maxText-1], '…')
	}
	for i, r := range runes {
		if !unicode.IsPrint(r) {
			runes[i] = '\uFFFD'
		}
	}
	return string(runes)
}

// code returns a name for Slack's text: in backticks, with the characters escaped by which
// Slack recognizes links and mentions.
func code(name string) string {
	return "`" + escape(strings.ReplaceAll(plain(name), "`", "'")) + "`"
}

// escape escapes a text for Slack.
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}
