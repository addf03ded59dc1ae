package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A comment is one of a pull or merge request.
type comment struct {
	id           int64 // later ones have larger IDs
	author, body string
	url          string
}

// pageSize is the most comments that both forges return in one answer, and maxPages how many
// answers hone reads.
const (
	pageSize = 100
	maxPages = 100
)

// api is what both forges offer. Calls are retried; an error that is ErrDenied is final, and
// one that isNotFound means that the comment is gone.
type api interface {
	me(context.Context) (string, error)                        // whose comments the token writes
	comments(ctx context.Context, page int) ([]comment, error) // pages from 1, of pageSize
	create(ctx context.Context, body string) (comment, error)
	update(ctx context.Context, id int64, body string) error
	remove(ctx context.Context, id int64) error
	status(ctx context.Context, commit string, r *Report) error
}

func apiOf(c *client, t *Target) api {
	if t.Kind == GitLab {
		return &gitlab{client: c, project: t.Project, review: cmp.Or(t.Review, t.Project), change: t.Change}
	}
	return &github{client: c, project: t.Project, change: t.Change, author: t.Author}
}

func post(ctx context.Context, c *client, t *Target, r *Report) (*Result, error) {
	result := new(Result)
	if t.Token == "" {
		result.Denied = append(result.Denied, fmt.Errorf("%w: there is none; set %s", ErrDenied, map[Kind]string{GitHub: "GITHUB_TOKEN", GitLab: "GITLAB_TOKEN"}[t.Kind]))
		return result, nil
	}
	if t.JobToken {
		result.Denied = append(result.Denied, fmt.Errorf("%w: CI_JOB_TOKEN can't comment or set a status; add a project access token with the scope api as the CI variable GITLAB_TOKEN", ErrDenied))
		return result, nil
	}
	to := apiOf(c, t)
	if t.Change > 0 {
		made, done, err := replace(ctx, to, r)
		switch {
		case errors.Is(err, ErrDenied):
			result.Denied = append(result.Denied, fmt.Errorf("no comment: %w", err))
		case err != nil:
			return result, err
		default:
			result.Comment, result.URL = done, made.url
		}
	}
	err := to.status(ctx, t.Commit, r)
	switch {
	case errors.Is(err, ErrDenied):
		result.Denied = append(result.Denied, fmt.Errorf("no status: %w", err))
	case err != nil:
		return result, err
	default:
		result.Status = true
	}
	return result, nil
}

// replace writes the report's comment: the oldest one of the token's author, or a new one.
//
// Two jobs may find none and create one each. So hone lists the comments again after it created
// one. The oldest one stays. A job whose comment is not the oldest puts its text there
// and removes its own.
func replace(ctx context.Context, to api, r *Report) (made comment, done string, err error) {
	me, err := to.me(ctx)
	if err != nil {
		return comment{}, "", err
	}
	const tries = 3 // another job may remove what this one has found
	for range tries {
		own, err := ownComments(ctx, to, r, me)
		if err != nil {
			return comment{}, "", err
		}
		done = "updated"
		if len(own) == 0 {
			if made, err = to.create(ctx, r.text()); err != nil {
				return comment{}, "", err
			}
			done, me = "created", cmp.Or(made.author, me)
			if own, err = ownComments(ctx, to, r, me); err != nil {
				return comment{}, "", err
			}
			if len(own) == 0 || own[0].id >= made.id {
				return made, done, nil
			}
		}
		err = to.update(ctx, own[0].id, r.text())
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return comment{}, "", err
		}
		for _, extra := range own[1:] {
			if err := to.remove(ctx, extra.id); err != nil && !isNotFound(err) {
				return comment{}, "", err
			}
		}
		return own[0], done, nil
	}
	return comment{}, "", errors.New("other jobs keep removing the comment")
}

// ownComments returns the report's comments by an author, the oldest first. Anyone may
// write the marker into a comment of theirs: it stays as it is.
func ownComments(ctx context.Context, to api, r *Report, author string) (own []comment, err error) {
	for page := 1; page <= maxPages; page++ {
		some, err := to.comments(ctx, page)
		if err != nil {
			return nil, err
		}
		for _, c := range some {
			first, _, _ := strings.Cut(strings.ReplaceAll(c.body, "\r\n", "\n"), "\n")
			if first == r.marker() && author != "" && c.author == author {
				own = append(own, c)
			}
		}
		if len(some) < pageSize {
			slices.SortFunc(own, func(a, b comment) int { return cmp.Compare(a.id, b.id) })
			return own, nil
		}
	}
	return nil, fmt.Errorf("the request has more than %d comments", pageSize*maxPages)
}
