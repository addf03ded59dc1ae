package reports

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/server"
)

// maxProfiles is the most profiles that a request can add up.
const maxProfiles = 1000

// An opener opens profiles by their ids.
type opener struct {
	cache *server.Cache
	open  *profiles
	first Opener // tried before open; may be nil
}

// sides opens the profiles of a query and of its base. It opens both sides concurrently,
// because opening may merge. If one fails, the other ends.
func (o *opener) sides(ctx context.Context, headIDs, baseIDs []string) (head, base []Opened, err error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	side := func(param string, ids []string) (all []Opened) {
		_, _, err := o.cache.Guarded(ctx, func(ctx context.Context) (_ any, _ int64, err error) {
			all, err = o.all(ctx, param, ids)
			return nil, 0, err
		})
		if err != nil {
			fail(err)
		}
		return all
	}
	var sides sync.WaitGroup
	if len(baseIDs) > 0 {
		sides.Go(func() { base = side("base", baseIDs) })
	}
	head = side("profile", headIDs)
	sides.Wait()
	return head, base, context.Cause(ctx)
}

// all opens the profiles that a parameter names.
func (o *opener) all(ctx context.Context, param string, ids []string) ([]Opened, error) {
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
func (o *opener) id(ctx context.Context, id string, now time.Time) (Opened, error) {
	if strings.HasPrefix(id, labelPartPrefix) {
		return o.labelPart(ctx, id, now)
	}
	if o.first != nil && o.first.Opens(id) {
		return o.first.Open(ctx, id, now)
	}
	if err := server.SeesAll(ctx); err != nil {
		return Opened{}, &server.Error{Status: http.StatusNotFound, Param: "profile", Err: fmt.Errorf("no profile %s is open", id)}
	}
	return o.open.get(ctx, id)
}
