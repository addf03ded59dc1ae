package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Headers of signed requests.
const (
	// TimestampHeader has the time of the request, in seconds since 1970.
	TimestampHeader = "Hone-Timestamp"
	// SignatureHeader has "v1=" and the hexadecimal HMAC-SHA256 of the timestamp, a dot and the
	// body. Its key is the secret.
	SignatureHeader = "Hone-Signature"
)

// An answer is what came of a request.
type answer struct {
	code       int    // 0 if none came
	text       string // the start of the body
	retryAfter time.Duration
	err        error // nil if the target took it
}

// A sender sends requests to a target.
type sender struct {
	target *Target
	client *http.Client
	getenv func(string) string
}

// newSender returns a sender. transport is for tests; nil uses the network.
func newSender(t *Target, transport http.RoundTripper, getenv func(string) string) (*sender, error) {
	if transport == nil {
		tls, err := t.TLS.Config()
		if err != nil {
			return nil, fmt.Errorf("tls: %w", err)
		}
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.TLSClientConfig, own.MaxIdleConnsPerHost = tls, 1
		transport = own
	}
	return &sender{target: t, getenv: getenv, client: &http.Client{
		Transport: transport, Timeout: time.Duration(t.Timeout),
		// The body, and who sends it, are for the configured host only.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// maxAnswer is how much of an answer is read, in bytes.
const maxAnswer = 4 << 10

// post sends a body. Nothing in the answer has a secret in it: not the URL either.
func (s *sender) post(ctx context.Context, body []byte, now time.Time) (a answer) {
	r, secrets, err := s.request(ctx, body, now)
	if err != nil {
		return answer{err: err}
	}
	resp, err := s.client.Do(r)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // the rest is the URL
		}
		return answer{err: errors.New(plain(without(secrets, err.Error())))}
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer)) // the status says enough
	a.code, a.text = resp.StatusCode, plain(without(secrets, strings.Join(strings.Fields(string(text)), " ")))
	switch {
	case a.code/100 == 2:
		return a
	case a.code/100 == 3:
		to, _ := resp.Location()
		host := "another address"
		if to != nil {
			host = plain(to.Host)
		}
		a.err = fmt.Errorf("%s to %s: redirects aren't followed; configure the address that it leads to", status(a.code), host)
	default:
		a.err = errors.New(strings.TrimSuffix(status(a.code)+": "+a.text, ": "))
	}
	a.retryAfter = retryAfter(resp.Header.Get("Retry-After"), now)
	return a
}

func status(code int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}

// request returns a request with its signature, and the secrets that it has.
func (s *sender) request(ctx context.Context, body []byte, now time.Time) (r *http.Request, secrets []string, err error) {
	to, err := s.target.location(ctx)
	if err != nil {
		return nil, nil, err
	}
	if r, err = http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body)); err != nil {
		return nil, nil, errors.New("invalid url")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "hone")
	if err := s.target.Auth.Authorize(r); err != nil {
		return nil, nil, fmt.Errorf("auth: %w", err)
	}
	secret, err := s.target.secret(ctx, s.getenv)
	if err != nil {
		return nil, nil, err
	}
	if secret != "" {
		at := strconv.FormatInt(now.Unix(), 10)
		r.Header.Set(TimestampHeader, at)
		r.Header.Set(SignatureHeader, Sign(secret, at, body))
	}
	_, password, _ := r.BasicAuth()
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	secrets = []string{secret, password, token, to.RawQuery}
	if s.target.Format != Alertmanager {
		secrets = append(secrets, strings.Trim(to.EscapedPath(), "/"))
	}
	return r, secrets, nil
}

// Sign returns the value of SignatureHeader.
func Sign(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return "v1=" + hex.EncodeToString(mac.Sum(nil))
}

// without replaces secrets in a text, such as an answer that repeats the request.
func without(secrets []string, text string) string {
	const short = 4 // would be found in any text
	for _, s := range secrets {
		if len(s) >= short {
			text = strings.ReplaceAll(text, s, "…")
		}
	}
	return text
}
