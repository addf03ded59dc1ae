package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/daemon"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/profile"
)

// serverFlags say which hone serve to use, and how to reach it.
type serverFlags struct {
	server    string
	tokenFile string
}

func (f *serverFlags) define(fs *flag.FlagSet) {
	fs.StringVar(&f.server, "server", "", "")
	fs.StringVar(&f.tokenFile, "token-file", "", "")
}

// tlsFlags defines the flags of a client's certificates.
func tlsFlags(fs *flag.FlagSet, fetcher *capture.Fetcher) {
	fs.StringVar(&fetcher.TLSCA, "tls_ca", "", "")
	fs.StringVar(&fetcher.TLSCert, "tls_cert", "", "")
	fs.StringVar(&fetcher.TLSKey, "tls_key", "", "")
}

const serverHelp = `  -server URL     the server ($HONE_SERVER, or http://127.0.0.1:4600)
  -token-file FILE
                  file with the access token (the token in $HONE_TOKEN)
`

// A serverClient talks to a hone serve.
type serverClient struct {
	base  *url.URL
	token string
	http  *http.Client
}

// maxTokenFile bounds a file with a token, in bytes.
const maxTokenFile = 64 << 10

// client returns a client for a verb's server.
func (f *serverFlags) client(ctx context.Context, a *app, verb string, fetcher *capture.Fetcher) (*serverClient, error) {
	c := &serverClient{token: a.getenv("HONE_TOKEN")}
	text := cmp.Or(f.server, a.getenv("HONE_SERVER"), "http://"+daemon.DefaultListen)
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.RawQuery != "" {
		return nil, &shell.UsageError{Verb: verb, Err: fmt.Errorf("invalid -server %q: use an address such as https://hone.example.com", text)}
	}
	if u.User != nil { // as in the URLs that go tool pprof takes
		if password, ok := u.User.Password(); ok {
			c.token = password
		}
		u.User = nil
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	c.base = u
	if f.tokenFile != "" {
		data, err := infile.ReadAnyText(ctx, f.tokenFile, maxTokenFile)
		if err != nil {
			return nil, fmt.Errorf("-token-file: %w", err)
		}
		c.token = string(data)
	}
	c.token = strings.TrimSpace(c.token)
	c.http, err = fetcher.Client()
	return c, err
}

// url returns the address of a path of the API.
func (c *serverClient) url(path string, query url.Values) string {
	u := *c.base
	u.Path += path
	u.RawQuery = query.Encode()
	return u.String()
}

// do sends a request and returns the response, whatever its status.
func (c *serverClient) do(ctx context.Context, method, path string, query url.Values, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.url(path, query), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		if errors.Is(err, capture.ErrSpeaksFirst) {
			err = capture.ErrSpeaksFirst // without what net/http puts before it
		}
		return nil, fmt.Errorf("%s: %w", c.base, err)
	}
	return resp, nil
}

// maxAnswer bounds answers, in bytes: the server may not be hone serve.
const maxAnswer = 4 << 30

// get returns the body of an answer, after read has accepted it.
func (c *serverClient) get(ctx context.Context, path string, query url.Values, read func(data []byte) error) ([]byte, error) {
	resp, err := c.do(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, c.failure(resp)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.base, err)
	}
	if err := read(data); err != nil {
		return nil, fmt.Errorf("%w; %w", c.notHone(resp, data), err)
	}
	return data, nil
}

// json reads an answer into v.
func (c *serverClient) json(ctx context.Context, path string, query url.Values, v any) error {
	_, err := c.get(ctx, path, query, func(data []byte) error { return json.Unmarshal(data, v) })
	return err
}

// notHone returns the error of an answer that hone serve would not give, with what shows
// who gave it: another server may have the port.
func (c *serverClient) notHone(resp *http.Response, data []byte) error {
	var who []string
	for _, name := range []string{"Server", "Content-Type"} {
		if v := resp.Header.Get(name); v != "" {
			who = append(who, fmt.Sprintf("%s: %s", name, beginning([]byte(v))))
		}
	}
	if text := beginning(data); text != "" {
		who = append(who, fmt.Sprintf("starting with %q", text))
	}
	return fmt.Errorf("%s is not hone serve; it answered: %s", c.base, strings.Join(append([]string{resp.Status}, who...), "; "))
}

// beginning returns the first words of a text, safe to print.
func beginning(data []byte) string {
	const most = 80
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(data[:min(len(data), 4*most)]), "\uFFFD")), " ")
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return compare.Printable(text)
}

// A statusError is an error that a server answered.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }

// failure returns the error in an answer.
func (c *serverClient) failure(resp *http.Response) error {
	data, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // as much as arrives
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	var report struct {
		Message string `json:"message"`
	}
	text := ""
	if json.Unmarshal(data, &body) == nil && json.Unmarshal(body.Error, &text) != nil && json.Unmarshal(body.Error, &report) == nil {
		text = report.Message
	}
	if text == "" {
		return &statusError{resp.StatusCode, c.notHone(resp, data)}
	}
	if resp.StatusCode == http.StatusUnauthorized && c.token == "" {
		text += " (set HONE_TOKEN or use -token-file)"
	}
	return &statusError{resp.StatusCode, fmt.Errorf("%s: %s", c.base, text)}
}

// profile returns the merged profile of a selection.
func (c *serverClient) profile(ctx context.Context, query url.Values, limits profile.Limits) (*profile.Profile, error) {
	var p *profile.Profile
	_, err := c.get(ctx, "/api/v1/pprof", query, func(data []byte) (err error) {
		p, err = profile.DecodeBytes(data, limits)
		return err
	})
	return p, err
}
