package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/daemon"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// queryFlags are the flags of hone query that other verbs don't have.
type queryFlags struct {
	serverFlags
	from, to, by, per, weight, id, span string
	baseFrom, baseTo                    string
	step                                string
	points, limit                       int
	series, records, labels             bool
	history, endpoints                  bool
	csv                                 bool
}

func (f *queryFlags) define(fs *flag.FlagSet) {
	f.serverFlags.define(fs)
	fs.StringVar(&f.from, "from", "", "")
	fs.StringVar(&f.to, "to", "", "")
	fs.StringVar(&f.baseFrom, "base-from", "", "")
	fs.StringVar(&f.baseTo, "base-to", "", "")
	fs.StringVar(&f.by, "by", "", "")
	fs.StringVar(&f.per, "per", "", "")
	fs.StringVar(&f.weight, "weight", "", "")
	fs.StringVar(&f.id, "id", "", "")
	fs.StringVar(&f.span, "span", "", "")
	fs.StringVar(&f.step, "step", "", "")
	fs.IntVar(&f.points, "points", 0, "")
	fs.IntVar(&f.limit, "limit", 0, "")
	fs.BoolVar(&f.series, "series", false, "")
	fs.BoolVar(&f.history, "history", false, "")
	fs.BoolVar(&f.endpoints, "endpoints", false, "")
	fs.BoolVar(&f.records, "records", false, "")
	fs.BoolVar(&f.labels, "labels", false, "")
	fs.BoolVar(&f.csv, "csv", false, "")
}

// A queryRun is one command line of hone query.
type queryRun struct {
	app    *app
	f      queryFlags
	inv    *shell.Invocation
	client *serverClient
	load   *opener
	now    time.Time
}

// parseQuery reads the command line, which has all flags of hone pprof too.
func parseQuery(args []string, f *queryFlags, stderr io.Writer) (*shell.Invocation, error) {
	// pprof's flags name the report; the selector takes the place of the sources.
	inv, err := shell.ParseVerb("pprof", args, stderr, f.define)
	plain := errors.Is(err, shell.ErrJSON)
	if plain { // the flag belongs to the usual report, or to something other than a report
		*f = queryFlags{}
		inv, err = shell.ParseVerb("pprof", append([]string{"-top"}, args...), stderr, f.define)
		if err == nil {
			inv.Command = ""
		}
	}
	var usage *shell.UsageError
	if errors.As(err, &usage) {
		if errors.Is(err, shell.ErrNoSource) {
			usage.Err = errors.New("missing selector: give one such as 'cpu{service=\"api\"}'")
		}
		usage.Verb = "query"
		return nil, usage
	} else if err != nil {
		return nil, err
	}
	bad := func(format string, args ...any) (*shell.Invocation, error) {
		return nil, &shell.UsageError{Verb: "query", Err: fmt.Errorf(format, args...)}
	}
	several := 0
	for _, on := range []bool{f.series, f.history, f.endpoints, f.records, f.labels, inv.Command != ""} {
		if on {
			several++
		}
	}
	if several > 1 {
		return bad("-series, -history, -endpoints, -records, -labels and reports can't be combined: use one of them")
	}
	if inv.HTTP != "" {
		return bad("-http can't be used with hone query: open the server's web UI, such as http://%s", daemon.DefaultListen)
	}
	if f.span != "" && (f.series || f.history || f.endpoints || f.records || f.labels || f.by != "") {
		return bad("-span can't be used with -series, -history, -endpoints, -records, -labels or -by: use it with a report")
	}
	if f.csv && inv.JSON {
		return bad("-csv and -json can't be combined: use one of them")
	}
	if inv.Command == "" {
		inv.Command = "top"
	}
	if f.csv && !slices.Contains([]string{"top", "tree", "tags"}, inv.Command) {
		return bad("-csv can't be used with %s: use it with top, tree, tags, -series, -history, -endpoints, -records or -labels", inv.Command)
	}
	return inv, nil
}

// selection returns the parameters of a selection for a server.
func (q *queryRun) selection(selector, from, to string) (url.Values, error) {
	if _, err := store.ParseSelector(selector); err != nil {
		return nil, err
	}
	v := url.Values{"q": {selector}}
	end := q.now.Truncate(time.Second).Add(time.Second)
	for _, bound := range []struct{ name, text string }{{"to", to}, {"from", from}} {
		switch {
		case bound.text != "":
			t, err := parseTimeFlag(bound.text, q.now)
			if err != nil {
				return nil, fmt.Errorf("-%s: %w", bound.name, err)
			}
			if bound.name == "to" {
				end = t
			}
			v.Set(bound.name, strconv.FormatInt(t.UnixMilli(), 10))
		case q.f.id != "" || q.f.labels: // from any time
		case bound.name == "from":
			length := time.Hour
			if q.inv.Seconds > 0 {
				length = time.Duration(q.inv.Seconds) * time.Second
			}
			v.Set("from", strconv.FormatInt(end.Add(-length).UnixMilli(), 10))
		default:
			v.Set("to", strconv.FormatInt(end.UnixMilli(), 10))
		}
	}
	if q.f.id != "" {
		v.Set("id", q.f.id)
	}
	if q.f.span != "" {
		v.Set("span", q.f.span)
	}
	if q.f.per != "" {
		v.Set("per", q.f.per)
	}
	if q.f.weight != "" {
		share, percent := strings.CutSuffix(q.f.weight, "%")
		x, err := strconv.ParseFloat(share, 64)
		if percent {
			x /= 100
		}
		if err != nil || !(x > 0 && x <= 1) {
			return nil, fmt.Errorf("invalid -weight %q: use a share such as 5%% or 0.05", q.f.weight)
		}
		v.Set("top", strconv.FormatFloat(x, 'g', -1, 64))
	}
	return v, nil
}

// A queryGroup is one report's profiles.
type queryGroup struct {
	labels  map[string]string
	profile *profile.Profile
	base    *profile.Profile // nil without one
}

// groupName returns the labels of a group in the form of a selector.
func groupName(labels map[string]string) string {
	var ls []store.Label
	for name, value := range labels {
		ls = append(ls, store.Label{Name: name, Value: value})
	}
	sorted, err := store.NewLabels(ls...)
	if err != nil {
		return fmt.Sprint(labels) // from a server that isn't hone
	}
	return sorted.String()
}

func cloneValues(v url.Values) url.Values {
	out := url.Values{}
	for name, values := range v {
		out[name] = slices.Clone(values)
	}
	return out
}
