package forge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	sha   = "0123456789abcdef0123456789abcdef01234567"
	token = "secret-token-of-a-test"
)

// A standIn answers like a forge, as its published description says: GitHub's OpenAPI description
// (see TestPublishedSchema), and the pages doc/api/notes.md, commits.md and users.md of GitLab.
// It answers 400 to what isn't described.
type standIn struct {
	*httptest.Server
	kind Kind

	mu        sync.Mutex
	comments  []comment
	statuses  []map[string]string
	exchanges []exchange
	last      int64
	user      string // of the token; "" if it may not ask
	readOnly  bool
	// before may answer a request instead, and returns whether it did.
	before func(w http.ResponseWriter, r *http.Request, n int) bool
}

type exchange struct {
	method, path    string
	query           string
	request, answer []byte
	status          int
}

func newStandIn(t *testing.T, kind Kind) *standIn {
	s := &standIn{kind: kind, user: "hone-bot"}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *standIn) target() *Target {
	t := &Target{Kind: s.kind, API: s.URL + "/api/v3", Project: "octo/shop", Change: 7, Commit: sha, Author: "github-actions[bot]", Token: token}
	if s.kind == GitLab {
		t.API, t.Project = s.URL+"/api/v4", "group/sub/shop"
	}
	return t
}

// add adds a comment of an author before any request.
func (s *standIn) add(author, body string) comment {
	s.last++
	c := comment{id: s.last, author: author, body: body}
	s.comments = append(s.comments, c)
	return c
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var request bytes.Buffer
	io.Copy(&request, r.Body)
	record := httptest.NewRecorder()
	if s.before == nil || !s.before(record, r, len(s.exchanges)) {
		s.answer(record, r, request.Bytes())
	}
	s.exchanges = append(s.exchanges, exchange{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, request.Bytes(), record.Body.Bytes(), record.Code})
	for k, v := range record.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(record.Code)
	w.Write(record.Body.Bytes())
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

func (s *standIn) answer(w http.ResponseWriter, r *http.Request, request []byte) {
	list, one, status := `^/api/v3/repos/octo/shop/issues/7/comments$`, `^/api/v3/repos/octo/shop/issues/comments/(\d+)$`, `^/api/v3/repos/octo/shop/statuses/`+sha+`$`
	sent, update := "Bearer "+token, http.MethodPatch
	got := r.Header.Get("Authorization")
	if s.kind == GitLab {
		list, one, status = `^/api/v4/projects/group%2Fsub%2Fshop/merge_requests/7/notes$`, `^/api/v4/projects/group%2Fsub%2Fshop/merge_requests/7/notes/(\d+)$`, `^/api/v4/projects/group%2Fsub%2Fshop/statuses/`+sha+`$`
		sent, update = token, http.MethodPut
		got = r.Header.Get("PRIVATE-TOKEN")
	}
	path := r.URL.EscapedPath()
	id := regexp.MustCompile(one).FindStringSubmatch(path)
	at := -1
	if id != nil {
		n, _ := strconv.ParseInt(id[1], 10, 64)
		at = slices.IndexFunc(s.comments, func(c comment) bool { return c.id == n })
	}
	fields := map[string]string{}
	switch {
	case got != sent:
		reply(w, 401, map[string]string{"message": "Bad credentials " + got}) // which must not be shown
		return
	case r.Method != http.MethodGet && s.readOnly:
		reply(w, 403, map[string]string{"message": "Resource not accessible by integration"})
		return
	case len(request) > 0 && (r.Header.Get("Content-Type") != "application/json" || json.Unmarshal(request, &fields) != nil):
		reply(w, 400, map[string]string{"message": "no JSON"})
		return
	case id != nil && at < 0:
		reply(w, 404, map[string]string{"message": "Not Found"})
		return
	}
	only := func(names ...string) bool {
		for name := range fields {
			if !slices.Contains(names, name) {
				return false
			}
		}
		return true
	}
	switch {
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/user"):
		if s.user == "" {
			reply(w, 403, map[string]string{"message": "Resource not accessible by integration"})
			return
		}
		reply(w, 200, s.account(s.user))
	case r.Method == http.MethodGet && regexp.MustCompile(list).MatchString(path):
		size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		if size < 1 || size > 100 || page < 1 {
			reply(w, 400, map[string]string{"message": "invalid page"})
			return
		}
		some := []any{}
		for i := (page - 1) * size; i < min(page*size, len(s.comments)); i++ {
			some = append(some, s.described(s.comments[i]))
		}
		reply(w, 200, some)
	case r.Method == http.MethodPost && regexp.MustCompile(list).MatchString(path) && fields["body"] != "" && only("body"):
		author := s.user
		if author == "" {
			author = "github-actions[bot]"
		}
		reply(w, 201, s.described(s.add(author, fields["body"])))
	case id != nil && r.Method == update && fields["body"] != "" && only("body"):
		s.comments[at].body = fields["body"]
		reply(w, 200, s.described(s.comments[at]))
	case id != nil && r.Method == http.MethodDelete:
		s.comments = slices.Delete(s.comments, at, at+1)
		w.WriteHeader(204)
	case r.Method == http.MethodPost && s.kind == GitHub && regexp.MustCompile(status).MatchString(path) && only("state", "target_url", "description", "context") &&
		slices.Contains([]string{"error", "failure", "pending", "success"}, fields["state"]) && len([]rune(fields["description"])) <= 140:
		s.statuses = append(s.statuses, fields)
		reply(w, 201, map[string]any{"url": s.URL, "avatar_url": nil, "id": 1, "node_id": "S1", "state": fields["state"], "description": fields["description"], "target_url": fields["target_url"],
			"context": fields["context"], "created_at": when, "updated_at": when, "creator": s.account(s.user)})
	case r.Method == http.MethodPost && s.kind == GitLab && regexp.MustCompile(status).MatchString(path) && only("state", "target_url", "description", "name") &&
		slices.Contains([]string{"pending", "running", "success", "failed", "canceled", "skipped"}, fields["state"]):
		if n := len(s.statuses); n > 0 && s.statuses[n-1]["state"] == fields["state"] {
			reply(w, 400, map[string]string{"message": "Cannot transition status via :succeed from :success (Reason(s): Status cannot transition via \"succeed\")"})
			return
		}
		s.statuses = append(s.statuses, fields)
		reply(w, 201, map[string]any{"id": 1, "sha": sha, "status": fields["state"], "name": fields["name"], "target_url": fields["target_url"], "description": fields["description"], "author": s.account(s.user)})
	default:
		reply(w, 400, map[string]string{"message": "not described: " + r.Method + " " + path})
	}
}

const when = "2026-11-29T01:00:00Z"

// account describes a user with the members that each forge's description requires.
func (s *standIn) account(name string) map[string]any {
	if s.kind == GitLab {
		return map[string]any{"id": 1, "username": name, "name": name, "state": "active"}
	}
	u := map[string]any{"login": name, "id": 1, "node_id": "U1", "gravatar_id": nil, "site_admin": false, "type": "User", "name": nil, "company": nil, "blog": nil, "location": nil,
		"email": nil, "hireable": nil, "bio": nil, "public_repos": 0, "public_gists": 0, "followers": 0, "following": 0, "created_at": when, "updated_at": when}
	for _, k := range []string{"avatar_url", "url", "html_url", "followers_url", "following_url", "gists_url", "starred_url", "subscriptions_url", "organizations_url", "repos_url", "events_url", "received_events_url"} {
		u[k] = s.URL + "/" + k
	}
	return u
}

func (s *standIn) described(c comment) map[string]any {
	if s.kind == GitLab {
		return map[string]any{"id": c.id, "body": c.body, "author": s.account(c.author), "created_at": when, "updated_at": when, "system": false, "noteable_id": 1, "noteable_type": "MergeRequest"}
	}
	d := map[string]any{"id": c.id, "node_id": "C1", "body": c.body, "url": s.URL, "html_url": fmt.Sprintf("%s/octo/shop/pull/7#issuecomment-%d", s.URL, c.id), "issue_url": s.URL,
		"user": s.account(c.author), "created_at": when, "updated_at": when, "author_association": "NONE"}
	if c.author == "" {
		d["user"] = nil
	}
	return d
}
