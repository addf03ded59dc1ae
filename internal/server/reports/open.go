package reports

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/server"
)

// maxProfiles is the most profiles that a request can add up.
const maxProfiles = 1000

// sides opens what a query is about and what that is compared with, at a time, as
// opening may merge. What fails first ends the other.
func (o *Service) sides(ctx context.Context, q *query, baseIDs url.Values) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var sides sync.WaitGroup
	open := func(all *[]Opened, param string) {
		_, _, err := o.srv.Cache.Guarded(ctx, func(ctx context.Context) (_ any, _ int64, err error) {
			*all, err = o.openAll(ctx, param, baseIDs[param])
			return nil, 0, err
		})
		if err != nil {
			fail(err)
		}
	}
	sides.Go(func() { open(&q.base, "base") })
	open(&q.head, "profile")
	sides.Wait()
	return context.Cause(ctx)
}

func (o *Service) openAll(ctx context.Context, param string, ids []string) ([]Opened, error) {
	if len(ids) > maxProfiles {
		return nil, server.BadParam(param, "too many profiles: %d, the limit is %d", len(ids), maxProfiles)
	}
	var all []Opened
	now := time.Now()
	for _, id := range ids {
		p, err := o.id(ctx, id, now)
		if err != nil {
			var re *server.Error
			if errors.As(err, &re) && re.Param != "" {
				return nil, &server.Error{Status: re.Status, Param: param, Err: re.Err}
			}
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// id returns the profile with an id. Times in it are relative to now.
func (o *Service) id(ctx context.Context, id string, now time.Time) (Opened, error) {
	if o.cfg.Opener != nil && o.cfg.Opener.Opens(id) {
		return o.cfg.Opener.Open(ctx, id, now)
	}
	if err := server.SeesAll(ctx); err != nil {
		return Opened{}, &server.Error{Status: http.StatusNotFound, Param: "profile", Err: fmt.Errorf("no profile %s is open", id)}
	}
	return o.open.get(ctx, id)
}
