package stored

import (
	"net/http"
	"slices"
	"strings"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/shell"
)

var historyParams = append([]string{"q", "from", "to", "sample_type", "top", "per", "step", "points", "limit", "order", "rank"}, api.HistoryOptions...)

const (
	usualFunctions = 10
	maxFunctions   = 100
)

// ranks are the possible orders of a history's functions; the first one is the default.
var ranks = []string{rankShare, rankChange, rankFirst, rankGrowth}

const (
	rankShare  = "share"  // by share
	rankChange = "change" // by change of the share, beyond the sampling error
	rankFirst  = "first"  // by time of the first profile with the function, latest first
	rankGrowth = "growth" // by growth of the value per profile, beyond what windows vary by
)

// historyQuery is a checked request for a history.
type historyQuery struct {
	sel   *api.Selection
	step  int64    // ns
	named []string // functions to show; none: those that rank first
	with  []string // functions to show in addition
	limit int
	cum   bool
	rank  string
	// perRequest is set if costs are those of a request, where requests were counted.
	perRequest bool
	options    shell.Config
}

func readHistory(r *http.Request) (*historyQuery, error) {
	p, err := newParams(r, historyParams, "function", "with")
	if err != nil {
		return nil, err
	}
	h := &historyQuery{named: p.Values["function"], with: p.Values["with"], rank: p.Get("rank"), options: shell.DefaultConfig()}
	if h.sel, err = p.selection(true); err != nil {
		return nil, err
	}
	h.perRequest, h.sel.Per = h.sel.Per == api.PerRequest, api.PerDefault
	if h.step, err = p.step(h.sel, 60, 500); err != nil {
		return nil, err
	}
	if h.limit, err = p.number("limit", usualFunctions, 1, maxFunctions); err != nil {
		return nil, err
	}
	for _, name := range []string{"function", "with"} {
		if n := len(p.Values[name]); n > maxFunctions {
			return nil, server.BadParam(name, "too many functions: %d, the limit is %d", n, maxFunctions)
		}
	}
	if h.rank != "" && !slices.Contains(ranks, h.rank) {
		return nil, server.BadParam("rank", "invalid rank %q: use %s", h.rank, strings.Join(ranks, " or "))
	}
	switch order := p.Get("order"); order {
	case "", "flat":
	case "cum":
		h.cum = true
	default:
		return nil, server.BadParam("order", "invalid order %q: use flat or cum", order)
	}
	for _, name := range api.HistoryOptions {
		if p.Has(name) {
			if err := reports.SetOption(&h.options, name, p.Get(name)); err != nil {
				return nil, err
			}
		}
	}
	h.options.Trim = false // every function, however small
	return h, nil
}
