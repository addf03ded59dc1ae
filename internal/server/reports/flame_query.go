package reports

import (
	"errors"
	"fmt"
	"regexp"

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

// readFlame reads the parameters of a flame graph.
func readFlame(q *query) (err error) {
	f := &q.flame
	f.widths, f.pivot = report.FlameWidths(q.own["widths"]), q.own["pivot"]
	if err := f.widths.Check(); err != nil {
		return err
	}
	if f.inverted, err = q.bool("inverted"); err != nil {
		return err
	}
	if f.collapse, err = q.bool("collapse"); err != nil {
		return err
	}
	switch side := q.own["side"]; side {
	case "", "callees":
	case "callers":
		f.callers = true
	default:
		return server.BadParam("side", "invalid side %q: use callees or callers", side)
	}
	return nil
}

// readFlameWindow reads the parameters of a flame graph and of its visible part.
func readFlameWindow(q *query) error {
	if err := readFlame(q); err != nil || q.format != asJSON.name {
		return err
	}
	var bad error
	number := func(name string) int64 {
		n, err := q.number(name, 0)
		bad = errors.Join(bad, err)
		return n
	}
	w := &q.flame.window
	w.From, w.To, w.Node = number("from"), number("to"), number("node")
	width := number("width")
	if bad != nil {
		return bad
	}
	if w.Width = int(width); int64(w.Width) != width {
		return server.BadParam("width", "width is %d pixels", width)
	}
	return nil
}

// readFlameSearch reads the parameters of a flame graph and the pattern to search for.
func readFlameSearch(q *query) error {
	pattern := q.own["query"]
	if pattern == "" {
		return server.BadParam("query", "query is missing: give a pattern to search for")
	}
	var err error
	if q.flame.search, err = regexp.Compile(pattern); err != nil {
		return server.BadParam("query", "query: %w", err)
	}
	return readFlame(q)
}

// treeKey identifies the tree of a query.
func (q *query) treeKey() string {
	f := &q.flame
	return fmt.Sprintf("tree%s ?%s #%t %t %t %q", q.profilesKey(), q.optionsKey(), f.inverted, f.collapse, f.callers, f.pivot)
}
