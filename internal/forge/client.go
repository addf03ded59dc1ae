package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// What a job waits for a forge: a request, a retry that the forge asks for, and how often.
const (
	requestTime = 30 * time.Second
	longestWait = 90 * time.Second
	attempts    = 5
	maxAnswer   = 32 << 20 // 100 comments of 65,536 characters, which may have 4 bytes
)

// A client sends requests to one forge.
type client struct {
	http   *http.Client
	base   *url.URL
	header http.Header
	token  string
	sleep  func(context.Context, time.Duration) error
	now    func() time.Time
}

func newClient(t *Target) *client {
	c := &client{token: t.Token, header: http.Header{"User-Agent": {"hone"}}, sleep: sleep, now: time.Now}
	c.base, _ = url.Parse(strings.TrimSuffix(t.API, "/")) // see Check
	switch t.Kind {
	case GitHub:
		c.header.Set("Accept", "application/vnd.github+json")
		c.header.Set("X-GitHub-Api-Version", "2022-11-28")
		c.header.Set("Authorization", "Bearer "+t.Token)
	case GitLab:
		c.header.Set("PRIVATE-TOKEN", t.Token)
	}
	c.http = &http.Client{
		Timeout: requestTime,
		// A redirect could take the token to another host, and turns a POST into a GET.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// A callError is an answer that is not what was asked for.
type callError struct {
	call    string
	status  int
	message string // of the forge
	denied  bool
}

func (e *callError) Error() string {
	text := fmt.Sprintf("%s: %d %s", e.call, e.status, http.StatusText(e.status))
	if e.message != "" {
		text += ": " + e.message
	}
	if e.denied {
		text += " (" + ErrDenied.Error() + ")"
	}
	return text
}

func (e *callError) Is(target error) bool { return target == ErrDenied && e.denied }

func isNotFound(err error) bool {
	var call *callError
	return errors.As(err, &call) && (call.status == http.StatusNotFound || call.status == http.StatusGone)
}

// call sends a request until it is answered, and decodes the answer into out unless that is nil.
// The path has its segments escaped.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	for attempt := 1; ; attempt++ {
		wait, err := c.once(ctx, method, path, body, out)
		if err == nil || wait < 0 || attempt == attempts || ctx.Err() != nil {
			return c.withoutToken(err)
		}
		if wait == 0 { // 1 s, 2 s, 4 s, and not in step with other jobs
			wait = time.Duration(float64(time.Second) * float64(int(1)<<(attempt-1)) * (0.75 + 0.5*rand.Float64()))
		}
		if wait > longestWait {
			return c.withoutToken(fmt.Errorf("%w; the limit ends in %v", err, wait.Round(time.Second)))
		}
		if err := c.sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// withoutToken takes the token out of an error: a proxy may answer with the request.
func (c *client) withoutToken(err error) error {
	if err == nil || c.token == "" || !strings.Contains(err.Error(), c.token) {
		return err
	}
	hidden := errors.New(strings.ReplaceAll(err.Error(), c.token, "…"))
	if errors.Is(err, ErrDenied) {
		return errors.Join(ErrDenied, hidden)
	}
	return hidden
}

// once sends a request once. If it failed, wait is how long to wait before the next attempt: 0 if
// the forge doesn't say, and less if another attempt wouldn't help.
func (c *client) once(ctx context.Context, method, path string, body []byte, out any) (wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base.String()+path, bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	req.Header = c.header.Clone()
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s %s: %w", method, path, err)
	case len(text) > maxAnswer:
		return -1, fmt.Errorf("%s %s: the answer has more than %d MB", method, path, maxAnswer>>20)
	case resp.StatusCode >= 200 && resp.StatusCode < 300:
		if out == nil {
			return 0, nil
		}
		if err := json.Unmarshal(text, out); err != nil {
			return -1, fmt.Errorf("%s %s: the answer isn't the API's: %w", method, path, err)
		}
		return 0, nil
	}
	e := &callError{call: method + " " + path, status: resp.StatusCode, message: messageOf(text)}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		e.message = "it redirects to another address, to which hone doesn't send the token; use that of the API itself"
		return -1, e
	}
	limited := resp.StatusCode == http.StatusTooManyRequests ||
		resp.StatusCode == http.StatusForbidden && (resp.Header.Get("Retry-After") != "" || resp.Header.Get("X-RateLimit-Remaining") == "0")
	if limited || resp.StatusCode >= 500 {
		return c.waitOf(resp.Header), e
	}
	e.denied = resp.StatusCode == http.StatusForbidden
	return -1, e
}

// waitOf returns how long an answer asks to wait, or 0.
func (c *client) waitOf(h http.Header) time.Duration {
	after := h.Get("Retry-After")
	if s, err := strconv.Atoi(after); err == nil && s >= 0 && s < 1e6 {
		return max(time.Duration(s)*time.Second, time.Millisecond)
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(at.Sub(c.now()), time.Millisecond)
	}
	for _, name := range []string{"X-RateLimit-Reset", "RateLimit-Reset"} { // GitHub's, and GitLab's
		if at, err := strconv.ParseInt(h.Get(name), 10, 64); err == nil && at > 0 {
			return max(time.Unix(at, 0).Sub(c.now()), time.Millisecond)
		}
	}
	return 0
}

// messageOf returns what the forge says in an error.
func messageOf(text []byte) string {
	var answer struct {
		Message any    `json:"message"`
		Error   string `json:"error"`
	}
	if json.Unmarshal(text, &answer) != nil {
		return ""
	}
	message := answer.Error
	if answer.Message != nil {
		message = fmt.Sprint(answer.Message)
	}
	if runes := []rune(message); len(runes) > 300 {
		message = string(runes[:300]) + "…"
	}
	return message
}
