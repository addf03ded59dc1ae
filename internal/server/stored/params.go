package stored

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/store"
)

// steps are the possible lengths of windows. They are whole minutes, hours or days, so
// that the store's roll-ups can be used.
var steps = []time.Duration{
	time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 2 * 24 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour, 28 * 24 * time.Hour,
}

// autoStep returns the shortest step that gives at most points windows.
func autoStep(length time.Duration, points int) time.Duration {
	for _, s := range steps {
		if int64(length/s) < int64(points) {
			return s
		}
	}
	last := steps[len(steps)-1]
	return (length/last/time.Duration(points) + 1) * last
}

// wholeStep is the length of a window that contains all times since 1970, in ns.
const wholeStep = 1 << 62

// params are the parameters of a request about the store.
type params struct {
	url.Values
	now time.Time
}

// newParams reads the parameters of a request, as server.Params does.
func newParams(r *http.Request, names []string, repeated ...string) (*params, error) {
	values, err := server.Params(r, names, repeated...)
	if err != nil {
		return nil, err
	}
	return &params{values, time.Now()}, nil
}

// selection returns the request's selection. With recent, missing bounds have defaults:
// to is now, and from is an hour before to.
func (p *params) selection(recent bool) (*api.Selection, error) {
	if recent {
		if p.Get("to") == "" {
			// Profiles that arrive at this moment are included.
			p.Set("to", strconv.FormatInt(p.now.Add(time.Second).Truncate(time.Second).UnixMilli(), 10))
		}
		if p.Get("from") == "" && p.Get("id") == "" {
			to, err := api.ParseBound(p.Get("to"), p.now)
			if err != nil {
				return nil, server.BadParam("to", "to: %w", err)
			}
			p.Set("from", strconv.FormatInt(max(1, api.Milliseconds(to-int64(time.Hour))), 10))
		}
	}
	return api.ReadSelection(p.Values, p.now)
}

// end returns the parameter to, in ns since 1970. The default is just after now, so that
// profiles of this moment count.
func (p *params) end() (int64, error) {
	at := p.now.Add(time.Second).Truncate(time.Second).UnixNano()
	if text := p.Get("to"); text != "" {
		var err error
		if at, err = api.ParseBound(text, p.now); err != nil {
			return 0, server.BadParam("to", "to: %w", err)
		}
	}
	return at, nil
}

// number reads a number between least and most. A missing one is absent.
func (p *params) number(name string, absent, least, most int) (int, error) {
	text := p.Get(name)
	if text == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, server.BadParam(name, "invalid %s %q: use %d to %d", name, text, least, most)
	}
	return n, nil
}

// by reads names of labels, separated by commas.
func (p *params) by() ([]string, error) {
	var names []string
	for name := range strings.SplitSeq(p.Get("by"), ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if err := store.CheckName(name); err != nil {
			return nil, server.BadParam("by", "by: %w", err)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	const most = 10
	if len(names) > most {
		return nil, server.BadParam("by", "too many labels: %d, the limit is %d", len(names), most)
	}
	return names, nil
}

// step reads the length of windows, in ns, for a selection's time range.
func (p *params) step(sel *api.Selection, usual, most int) (int64, error) {
	points, err := p.number("points", usual, 1, most)
	if err != nil {
		return 0, err
	}
	length := time.Duration(sel.To - sel.From)
	text := p.Get("step")
	if text == "" {
		return int64(autoStep(length, points)), nil
	}
	step, err := api.ParseDuration(text)
	if ms, bad := strconv.ParseInt(text, 10, 64); bad == nil {
		step, err = time.Duration(ms)*time.Millisecond, nil
		if ms > int64(wholeStep/time.Millisecond) {
			step = 0
		}
	}
	if err != nil || step < time.Millisecond {
		return 0, server.BadParam("step", "invalid step %q: use a duration such as 30s, or milliseconds", text)
	}
	if int64(length/step) > int64(most) {
		return 0, server.BadParam("step", "step %s makes more than %d windows of %s: use a longer step", step, most, length)
	}
	return int64(step), nil
}
