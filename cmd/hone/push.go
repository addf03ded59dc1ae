package main

import (
	"cmp"
	"context"
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

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/compare"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/ingest/pprofhttp"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

const pushHelp = `usage: hone push -service NAME [flags] FILE...

Send profiles to hone serve.

Examples:

  hone push -service api -version v1.2.3 cpu.pb.gz heap.pb.gz
  curl -s localhost:6060/debug/pprof/heap | hone push -service api -
  hone push -service bench -label commit=$(git rev-parse HEAD) *.pb.gz

Flags that describe the profiles:

  -service NAME   the profiled program (required)
  -version V, -zone Z, -instance I
                  its version, and where it ran
  -label NAME=VALUE
                  any other label; may be repeated
  -kind KIND      what was profiled: cpu, heap, allocs, mutex, block, goroutine, and so
                  on (from the profile)
  -time TIME      when the profile started, if the profile doesn't say so or is wrong:
                  2006-01-02T15:04:05Z, a Unix time, or -1h
  -duration D     how long it took, such as 30s (from the profile)

Other flags:

` + serverHelp + `  -timeout D      how long to retry if the server is busy or unreachable (1m)
  -tls_ca FILE, -tls_cert FILE, -tls_key FILE
                  the authority to trust, a client certificate and its key
  -link           print a link to each profile, to be given to others
  -json           print the result for each file: "kept" or "already there"

Exit codes: 0 success, 1 failure, 2 wrong usage.

FILE is a profile in any format that hone reads, or - for standard input. If you send
the same file again with the same labels and time, the server keeps one copy.
`

// labelFlags collects repeated -label flags.
type labelFlags []store.Label

func (l *labelFlags) String() string { return "" }
func (l *labelFlags) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return errors.New("use the form NAME=VALUE")
	}
	if err := store.CheckName(name); err != nil {
		return err
	}
	*l = append(*l, store.Label{Name: name, Value: value})
	return nil
}

// A pushResult is what a server did with a profile, and its id there, "" if it didn't say.
type pushResult struct{ result, id string }

// A pusher sends the profiles of a command line.
type pusher struct {
	app      *app
	client   *serverClient
	query    url.Values // except key and time
	time     time.Time  // zero if not given
	deadline time.Time
}

func runPush(ctx context.Context, a *app, args []string) error {
	usage := func(format string, args ...any) error {
		return &shell.UsageError{Verb: "push", Err: fmt.Errorf(format, args...)}
	}
	fs := newFlags("push")
	var f serverFlags
	var labels labelFlags
	var at, duration string
	var asJSON bool
	query := url.Values{}
	for _, name := range []string{"service", "version", "zone", "instance", "kind"} {
		fs.Func(name, "", func(value string) error {
			query.Set(name, value)
			return nil
		})
	}
	fs.Var(&labels, "label", "")
	fs.StringVar(&at, "time", "", "")
	fs.StringVar(&duration, "duration", "", "")
	fs.BoolVar(&asJSON, "json", false, "")
	links := fs.Bool("link", false, "")
	timeout := fs.Duration("timeout", time.Minute, "")
	f.define(fs)
	fetcher := &capture.Fetcher{}
	tlsFlags(fs, fetcher)
	singleFlags(fs, "label")
	files, err := parseArgs(fs, args)
	if err != nil {
		return err
	}
	if query.Get("service") == "" {
		return usage("-service is missing: name the profiled program")
	}
	if len(files) == 0 {
		return usage("missing profile: give one or more files, or - for standard input")
	}
	for _, l := range labels {
		query.Set("label."+l.Name, l.Value)
	}
	p := &pusher{app: a, query: query, deadline: time.Now().Add(*timeout)}
	if at != "" {
		if p.time, err = parseTimeFlag(at, time.Now()); err != nil {
			return usage("-time: %w", err)
		}
	}
	if duration != "" {
		d, err := api.ParseDuration(duration)
		if err != nil {
			return usage("-duration: %w", err)
		}
		query.Set("duration", d.String())
	}
	if p.client, err = f.client(ctx, a, "push", fetcher); err != nil {
		return err
	}
	type pushed struct {
		File   string `json:"file"`
		Result string `json:"result"`
		Link   string `json:"link,omitempty"`
	}
	done := []pushed{}
	for _, file := range files {
		var sent pushResult
		if sent, err = p.push(ctx, file); err != nil {
			err = fmt.Errorf("%s: %w", file, err)
			break
		}
		one := pushed{File: file, Result: sent.result}
		if *links {
			one.Link = p.client.link(sent.id)
		}
		done = append(done, one)
		if asJSON {
			continue
		}
		if sent.result == pprofhttp.ResultKnown {
			fmt.Fprintf(a.stdout, "%s: already there, with the same labels and time.\n", file)
		}
		if *links {
			fmt.Fprintln(a.stdout, cmp.Or(one.Link, file+": this server is too old to return a link"))
		}
	}
	if asJSON {
		err = errors.Join(err, writeJSON(a.stdout, done))
	}
	return err
}

// push sends a file. It decodes the file first, to report what isn't a profile, and to set
// the time of a profile without one, so that retries send the same. The result is the
// server's answer.
func (p *pusher) push(ctx context.Context, file string) (sent pushResult, err error) {
	in := io.NopCloser(infile.Reader(ctx, p.app.stdin))
	if file != "-" {
		if in, err = infile.OpenAny(ctx, file); err != nil {
			return sent, err
		}
	}
	defer in.Close()
	limit := profile.DefaultLimits().Bytes
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return sent, err
	}
	if n := int64(len(data)); n > limit {
		return sent, &infile.SizeError{Name: file, Size: n, Limit: limit}
	}
	decoded, err := profile.DecodeBytes(data, profile.Limits{})
	if err != nil {
		return sent, err
	}
	for _, w := range decoded.Warnings() {
		p.app.warn(file + ": " + w)
	}
	query := cloneValues(p.query)
	hash := sha256.Sum256(data)
	query.Set("key", hex.EncodeToString(hash[:]))
	switch {
	case !p.time.IsZero():
		query.Set("time", strconv.FormatInt(p.time.UnixNano(), 10))
	case decoded.TimeNanos == 0:
		query.Set("time", strconv.FormatInt(time.Now().UnixNano(), 10))
	}
	wait := 200 * time.Millisecond
	for {
		sent, again, after, err := p.send(ctx, query, data)
		if err == nil || !again {
			return sent, err
		}
		const longest = 10 * time.Second
		pause := max(wait, after)
		if time.Now().Add(pause).After(p.deadline) {
			return sent, fmt.Errorf("giving up after -timeout: %w", err)
		}
		p.app.warn(fmt.Sprintf("%s; trying again in %s", compare.OneLine(err), pause.Round(100*time.Millisecond)))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return sent, ctx.Err()
		}
		wait = min(2*wait, longest)
	}
}

// send sends a profile once. again reports whether a retry may help, and after is how long
// to wait before it, at least.
func (p *pusher) send(ctx context.Context, query url.Values, data []byte) (sent pushResult, again bool, after time.Duration, err error) {
	resp, err := p.client.do(ctx, http.MethodPost, "/api/v1/profiles", query, data)
	if err != nil {
		return sent, ctx.Err() == nil, 0, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNoContent:
		sent = pushResult{cmp.Or(resp.Header.Get(pprofhttp.ResultHeader), pprofhttp.ResultKept), resp.Header.Get(pprofhttp.IDHeader)}
		return sent, false, 0, nil
	case resp.StatusCode/100 == 2: // another server may accept anything
		data, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return sent, false, 0, p.client.notHone(resp, data)
	}
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s > 0 {
		after = time.Duration(s) * time.Second
	}
	return sent, resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500, after, p.client.failure(resp)
}

// link returns the link to a profile in the store, "" if id isn't one.
func (c *serverClient) link(id string) string {
	if _, err := hex.DecodeString(id); err != nil || id == "" {
		return ""
	}
	page := c.base.JoinPath("flame")
	page.User, page.RawQuery = nil, url.Values{"profile": {api.SelectionPrefix + "id=" + id}}.Encode()
	return page.String()
}
