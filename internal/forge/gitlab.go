package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// gitlab calls GitLab's REST API.
type gitlab struct {
	*client
	project, review string
	change          int
}

type gitlabNote struct {
	ID     int64  `json:"id"`
	Body   string `json:"body"`
	Author struct {
		Username string `json:"username"`
	} `json:"author"`
	System bool `json:"system"`
}

func (n gitlabNote) comment() comment {
	return comment{id: n.ID, body: n.Body, author: n.Author.Username}
}

// me returns the token's user.
func (g *gitlab) me(ctx context.Context) (string, error) {
	var user struct {
		Username string `json:"username"`
	}
	err := g.call(ctx, http.MethodGet, "/user", nil, &user)
	return user.Username, err
}

func (g *gitlab) notes() string {
	return fmt.Sprintf("/projects/%s/merge_requests/%d/notes", url.PathEscape(g.review), g.change)
}

func (g *gitlab) comments(ctx context.Context, page int) (all []comment, err error) {
	var found []gitlabNote
	err = g.call(ctx, http.MethodGet, fmt.Sprintf("%s?per_page=%d&page=%d&sort=asc&order_by=created_at", g.notes(), pageSize, page), nil, &found)
	for _, f := range found {
		c := f.comment()
		if f.System {
			c.body = ""
		}
		all = append(all, c)
	}
	return all, err
}

func (g *gitlab) create(ctx context.Context, body string) (comment, error) {
	var made gitlabNote
	err := g.call(ctx, http.MethodPost, g.notes(), map[string]string{"body": body}, &made)
	return made.comment(), err
}

func (g *gitlab) update(ctx context.Context, id int64, body string) error {
	return g.call(ctx, http.MethodPut, fmt.Sprintf("%s/%d", g.notes(), id), map[string]string{"body": body}, nil)
}

func (g *gitlab) remove(ctx context.Context, id int64) error {
	return g.call(ctx, http.MethodDelete, fmt.Sprintf("%s/%d", g.notes(), id), nil, nil)
}

func (g *gitlab) status(ctx context.Context, commit string, r *Report) error {
	state := "success"
	if r.State != Success {
		state = "failed"
	}
	status := map[string]string{"state": state, "name": r.context(), "description": r.shortTitle()}
	if r.URL != "" {
		status["target_url"] = r.URL
	}
	err := g.call(ctx, http.MethodPost, fmt.Sprintf("/projects/%s/statuses/%s", url.PathEscape(g.project), url.PathEscape(commit)), status, nil)
	// GitLab refuses to set the state that a status has.
	if call := (*callError)(nil); errors.As(err, &call) && call.status == http.StatusBadRequest && strings.Contains(call.message, "Cannot transition status") {
		return nil
	}
	return err
}
