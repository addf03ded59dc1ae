package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// github calls GitHub's REST API.
type github struct {
	*client
	project string // owner/name
	change  int
	author  string
}

type githubComment struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
	URL  string `json:"html_url"`
	User *struct {
		Login string `json:"login"`
	} `json:"user"` // null if the account is gone
}

func (g githubComment) comment() comment {
	c := comment{id: g.ID, body: g.Body, url: g.URL}
	if g.User != nil {
		c.author = g.User.Login
	}
	return c
}

// me returns the token's user. Tokens of jobs and apps may not ask who they are: theirs is the author
// that the target names.
func (g *github) me(ctx context.Context) (string, error) {
	var user struct {
		Login string `json:"login"`
	}
	err := g.call(ctx, http.MethodGet, "/user", nil, &user)
	if errors.Is(err, ErrDenied) {
		return g.author, nil
	}
	return user.Login, err
}

func (g *github) comments(ctx context.Context, page int) (all []comment, err error) {
	var found []githubComment
	err = g.call(ctx, http.MethodGet, fmt.Sprintf("/repos/%s/issues/%d/comments?per_page=%d&page=%d", g.project, g.change, pageSize, page), nil, &found)
	for _, f := range found {
		all = append(all, f.comment())
	}
	return all, err
}

func (g *github) create(ctx context.Context, body string) (comment, error) {
	var made githubComment
	err := g.call(ctx, http.MethodPost, fmt.Sprintf("/repos/%s/issues/%d/comments", g.project, g.change), map[string]string{"body": body}, &made)
	return made.comment(), err
}

func (g *github) update(ctx context.Context, id int64, body string) error {
	return g.call(ctx, http.MethodPatch, fmt.Sprintf("/repos/%s/issues/comments/%d", g.project, id), map[string]string{"body": body}, nil)
}

func (g *github) remove(ctx context.Context, id int64) error {
	return g.call(ctx, http.MethodDelete, fmt.Sprintf("/repos/%s/issues/comments/%d", g.project, id), nil, nil)
}

func (g *github) status(ctx context.Context, commit string, r *Report) error {
	status := map[string]string{"state": string(r.State), "context": r.context(), "description": r.shortTitle()}
	if r.URL != "" {
		status["target_url"] = r.URL
	}
	return g.call(ctx, http.MethodPost, fmt.Sprintf("/repos/%s/statuses/%s", g.project, url.PathEscape(commit)), status, nil)
}
