package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	uploadTimeout = 30 * time.Second // of one request
	minBackoff    = time.Second
	maxBackoff    = 2 * time.Minute
	maxRetryAfter = time.Hour // a server that asks for more is mistaken
	// lookAround is how often the spool is searched for files of processes that
	// have ended.
	lookAround = time.Minute
	// pace is the pause between files of the spool, so that a server that comes
	// back is not overrun by its fleet.
	pace = 20 * time.Millisecond
)

// A sender sends the profiles of an outbox, one at a time.
type sender struct {
	out      *outbox
	stats    *statistics
	client   *http.Client
	endpoint string
	token    string
	backoff  time.Duration // the least; minBackoff outside of tests

	ctx     context.Context // of requests; ends when Stop can't wait any longer
	closing chan struct{}   // closed when nothing more will come into the outbox
}

// uploadClient returns a client for the agent alone: it opens few connections
// and leaves none idle, each of which is two goroutines in the program's
// profiles.
func uploadClient(c *http.Client) *http.Client {
	if c == nil {
		c = &http.Client{Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout: 10 * time.Second,
			MaxIdleConns:        1,
			IdleConnTimeout:     2 * time.Second,
		}}
	} else {
		clone := *c
		c = &clone
	}
	c.Timeout = uploadTimeout
	// A redirected POST may arrive as a GET, which some page answers with 200.
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// run sends until closing, and then what is left until the first failure.
func (s *sender) run() {
	var failures int
	for {
		var wait time.Duration
		p := s.out.next()
		if p != nil {
			err := s.send(p)
			var refused *refusal
			switch {
			case err == nil:
				failures = 0
				s.out.done(p)
				s.stats.add(&s.stats.Sent, 1)
				s.stats.add(&s.stats.SentBytes, int64(len(p.body)))
				if !p.spooled {
					continue
				}
				wait = pace
			case errors.As(err, &refused) && refused.final:
				failures = 0
				s.out.done(p)
				s.stats.drop(1, err.Error())
				continue
			default:
				failures++
				s.stats.add(&s.stats.Failures, 1)
				s.stats.fail("%v", err)
				s.out.failed(p)
				if isClosed(s.closing) {
					return
				}
				wait = s.delay(failures)
				if refused != nil && refused.retryAfter > 0 {
					// A tenth more at random, so that not all agents are back at once.
					wait = max(wait, refused.retryAfter+rand.N(refused.retryAfter/10+1))
				}
			}
		}
		wake := s.out.wake
		switch {
		case p == nil && isClosed(s.closing):
			return
		case p == nil:
			wait = lookAround
		default:
			wake = nil // more profiles do not make the server come back
			if isClosed(s.closing) {
				wait = 0
			}
		}
		// Reset before Go 1.23 would leave the time of the last wait in the channel.
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-wake:
		case <-s.closing:
		}
		timer.Stop()
	}
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// delay returns how long to wait after so many failures in a row: it doubles,
// and up to half of it is left to chance.
func (s *sender) delay(failures int) time.Duration {
	d := s.backoff << min(failures-1, 10)
	d = min(d, maxBackoff)
	return d/2 + rand.N(d/2+1)
}

// A refusal is the server's answer that it has not kept a profile.
type refusal struct {
	status     string
	text       string
	final      bool          // it never will
	retryAfter time.Duration // 0: unknown
}

func (r *refusal) Error() string {
	if r.text == "" {
		return "the server answers " + r.status
	}
	return "the server answers " + r.status + ": " + r.text
}

// send returns nil if the server has kept the profile.
func (s *sender) send(p *parcel) (err error) {
	defer func() {
		if r := recover(); r != nil { // a Client's transport is anybody's code
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	ctx, cancel := context.WithTimeout(s.ctx, uploadTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.endpoint+"?"+p.query, bytes.NewReader(p.body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("User-Agent", "hone-agent")
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		// Without the parameters of the request: the next failure is the same.
		if e := (*url.Error)(nil); errors.As(err, &e) {
			err = e.Err
		}
		return fmt.Errorf("%s: %w", s.endpoint, err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	// Whatever else is listening there may answer 200 to anything.
	if resp.StatusCode == http.StatusNoContent {
		return nil
	}
	r := &refusal{status: resp.Status, text: errorText(text), retryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now())}
	switch resp.StatusCode {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		r.final = true // it is the profile; anything else may be mended on the server
	}
	return r
}

// errorText returns the error of hone's answers, or the first line of others.
func errorText(body []byte) string {
	var answer struct{ Error string }
	if json.Unmarshal(body, &answer) == nil && answer.Error != "" {
		return answer.Error
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	return strings.ToValidUTF8(line[:min(200, len(line))], "")
}

// retryAfter reads a number of seconds or a date; 0 for anything else.
func retryAfter(header string, now time.Time) time.Duration {
	d := time.Duration(0)
	if n, err := strconv.ParseInt(header, 10, 32); err == nil {
		d = time.Duration(n) * time.Second
	} else if t, err := http.ParseTime(header); err == nil {
		d = t.Sub(now)
	}
	return max(0, min(d, maxRetryAfter))
}
