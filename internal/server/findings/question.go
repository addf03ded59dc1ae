package findings

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
)

// maxProfiles limits the profiles that a question names.
const maxProfiles = 100

const (
	usualWait = 30 // seconds
	mostWait  = 60
)

// A question names what to give advice on: a run, or profiles by their IDs.
type question struct {
	run      string
	profiles []string
}

// readQuestion reads the parameters of a request.
func readQuestion(r *http.Request) (q *question, wait time.Duration, err error) {
	values, err := server.Params(r, []string{"run", "wait"}, "profile")
	if err != nil {
		return nil, 0, err
	}
	q, wait = &question{run: values.Get("run"), profiles: values["profile"]}, usualWait*time.Second
	if values.Has("wait") {
		n, err := strconv.Atoi(values.Get("wait"))
		if err != nil || n < 0 || n > mostWait {
			return nil, 0, server.BadParam("wait", "invalid wait %q: use 0 to %d seconds", values.Get("wait"), mostWait)
		}
		wait = time.Duration(n) * time.Second
	}
	switch {
	case q.run == "" && len(q.profiles) == 0:
		return nil, 0, server.BadParam("profile", "profile or run is missing: give the id of a profile or of a run")
	case q.run != "" && len(q.profiles) > 0:
		return nil, 0, server.BadParam("run", "run and profile are both given: use one of them")
	case len(q.profiles) > maxProfiles:
		return nil, 0, server.BadParam("profile", "too many profiles: %d, the limit is %d", len(q.profiles), maxProfiles)
	}
	return q, wait, nil
}

// key returns a text that identifies a question and the services that its sender may see.
func (q *question) key(ctx context.Context) string {
	key := "run " + q.run
	if q.run == "" {
		key = "profile " + strings.Join(q.profiles, "\x00")
	}
	if p := auth.From(ctx); p != nil {
		key = p.Scope() + "\x00" + key
	}
	return key
}

// maySee returns an error if the principal is restricted to services, unless all profiles
// are in the store, which checks the restriction itself.
func (q *question) maySee(ctx context.Context) error {
	if q.run == "" && !slices.ContainsFunc(q.profiles, func(id string) bool { return !isSelection(id) }) {
		return nil
	}
	return server.SeesAll(ctx)
}

func isSelection(id string) bool { return strings.HasPrefix(id, api.SelectionPrefix) }
