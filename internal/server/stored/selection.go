package stored

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/reports"
)

// errNoStore is the error of requests that need a store.
var errNoStore = errors.New("this server stores no profiles: use hone serve")

// Opens reports whether an id is one of a selection.
func (s *Service) Opens(id string) bool { return strings.HasPrefix(id, api.SelectionPrefix) }

// Open returns the profile of a selection by its ID.
func (s *Service) Open(ctx context.Context, id string, now time.Time) (reports.Opened, error) {
	sel, err := api.ParseSelection(id, now)
	if err != nil {
		return reports.Opened{}, server.BadParam("profile", "%w", err)
	}
	return s.selections.open(ctx, sel)
}

// None takes the place of a Service on a server without a store. Opening fails.
type None struct{}

// Opens reports whether an id is one of a selection.
func (None) Opens(id string) bool { return strings.HasPrefix(id, api.SelectionPrefix) }

// Open fails.
func (None) Open(_ context.Context, id string, now time.Time) (reports.Opened, error) {
	if _, err := api.ParseSelection(id, now); err != nil {
		return reports.Opened{}, server.BadParam("profile", "%w", err)
	}
	return reports.Opened{}, &server.Error{Status: http.StatusNotFound, Param: "profile", Err: errNoStore}
}
