package reports

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server"
)

// treeParams determine the tree, flameParams also its layout. windowParams select the
// part to send.
var (
	treeParams   = []string{"inverted", "collapse", "pivot", "side"}
	flameParams  = append([]string{"widths"}, treeParams...)
	windowParams = []string{"width", "from", "to", "node"}
)

func (s *Service) flame(ctx context.Context, q *query) (*server.Answer, error) {
	if q.format != "json" {
		return s.flameFile(ctx, q)
	}
	x, warnings, err := s.index(ctx, q)
	if err != nil {
		return nil, err
	}
	var w report.Window
	var bad error
	number := func(name string) int64 {
		n, err := q.number(name, 0)
		bad = errors.Join(bad, err)
		return n
	}
	w.From, w.To, w.Node = number("from"), number("to"), number("node")
	width := number("width")
	if bad != nil {
		return nil, bad
	}
	if w.Width = int(width); int64(w.Width) != width {
		return nil, server.BadParam("width", "width is %d pixels", width)
	}
	w.Budget = ingest.BudgetOf(ctx)
	window, err := x.Window(w)
	if err != nil {
		return nil, err
	}
	return windowAnswer(ctx, window, warnings)
}

// treeKey identifies the tree of a query.
func (q *query) treeKey() string {
	f := url.Values{}
	for _, name := range treeParams {
		f.Set(name, q.own[name])
	}
	return fmt.Sprintf("tree%s ?%s #%s", q.profilesKey(), q.optionsKey(), f.Encode())
}
