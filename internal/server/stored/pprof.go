package stored

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
)

// mergedProfile answers with the sum of a selection as a pprof file.
func (s *Service) mergedProfile(w http.ResponseWriter, r *http.Request) error {
	p, err := newParams(r, append(slices.Clone(api.SelectionParams), "seconds"))
	if err != nil {
		return err
	}
	if seconds, err := p.number("seconds", 0, 1, 366*86400); err != nil {
		return err
	} else if seconds > 0 && p.Get("from") == "" {
		end := p.now
		if to := p.Get("to"); to != "" {
			if end, err = api.ParseTime(to, p.now); err != nil {
				return server.BadParam("to", "to: %w", err)
			}
		}
		p.Set("from", strconv.FormatInt(end.Add(-time.Duration(seconds)*time.Second).UnixMilli(), 10))
	}
	sel, err := p.selection(true)
	if err != nil {
		return err
	}
	o, err := s.selections.open(r.Context(), sel)
	if err != nil {
		return err
	}
	a, err := server.Cached(r.Context(), s.srv.Cache, "pprof "+o.ID+o.Version, func(ctx context.Context) (*server.Answer, int64, error) {
		merged, err := o.Load(ctx)
		if err != nil {
			return nil, 0, err
		}
		a, err := server.Compose(ctx, "application/octet-stream", merged.EncodeFast)
		if err != nil {
			return nil, 0, err
		}
		return a, a.Cost(), nil
	})
	if err != nil {
		return err
	}
	server.Attach(w.Header(), o.Name+".pb.gz")
	return a.Write(w, r, http.StatusOK, server.Revalidate)
}
