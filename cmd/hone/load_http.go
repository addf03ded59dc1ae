package main

import (
	"cmp"
	"context"
	"flag"
	"net"
	"net/url"
	"path"
	"strings"

	"github.com/hone-go/hone/internal/lazyregexp"
	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/httpload"
)

// loadHTTP is hone load http.
type loadHTTP struct {
	opts        httpload.Options
	target      httpload.Target
	targetsFile string
	expect      string
	connections int
	url         string
}

func (h *loadHTTP) define(fs *flag.FlagSet) {
	fs.StringVar(&h.target.Method, "method", "", "")
	fs.StringVar(&h.targetsFile, "targets", "", "")
	fs.BoolVar(&h.opts.HTTP2, "h2", false, "")
	fs.StringVar(&h.opts.Unix, "unix", "", "")
	fs.BoolVar(&h.opts.NoKeepAlive, "no-keepalive", false, "")
	fs.IntVar(&h.opts.Redirects, "redirects", 10, "")
	fs.StringVar(&h.expect, "expect", "", "")
	fs.IntVar(&h.connections, "connections", 1000, "")
}

func (h *loadHTTP) parse(ctx context.Context, f *loadFlags, rest []string) (err error) {
	switch {
	case h.targetsFile == "" && len(rest) == 0:
		return f.usage("missing URL: give the URL to send to")
	case h.targetsFile == "" && len(rest) > 1:
		return f.usage("unexpected %q after the URL", rest[1])
	case h.targetsFile != "" && len(rest) > 0:
		return f.usage("-targets can't be combined with a URL: leave out %q", rest[0])
	case h.targetsFile != "" && (f.given("body") || h.target.Method != ""):
		return f.usage("-targets can't be combined with -body or -method: the file has them")
	case h.opts.Redirects < 0:
		return f.usage("invalid -redirects %d: use 0 or more", h.opts.Redirects)
	case h.connections < 1:
		return f.usage("invalid -connections %d: use at least 1", h.connections)
	}
	if h.expect != "" {
		if h.opts.Expect, err = httpload.ParseStatuses(h.expect); err != nil {
			return f.usage("-expect: %w", err)
		}
	}
	h.opts.Feed, h.opts.Seed, h.opts.Timeout, h.opts.TLS = f.feed, f.seed, orDefault(f.timeout), f.tls
	if h.targetsFile != "" {
		h.url = h.targetsFile
		if h.opts.Targets, err = httpload.ReadTargets(ctx, h.targetsFile); err != nil {
			return err
		}
		for i := range h.opts.Targets {
			h.opts.Targets[i].Header = append(h.opts.Targets[i].Header, f.header...)
			h.opts.Targets[i].Raw = !f.bodyTemplate
		}
		return nil
	}
	h.url = rest[0]
	if !strings.Contains(h.url, "://") {
		h.url = "http://" + h.url
	}
	h.target.Name, h.target.URL, h.target.Header, h.target.Body = "the request", h.url, f.header, f.body
	h.target.Raw, h.target.Empty = !f.fills(), f.given("body")
	if h.target.Method == "" && h.target.Empty {
		h.target.Method = "POST"
	}
	h.opts.Targets = []httpload.Target{h.target}
	return nil
}

func (h *loadHTTP) open(ctx context.Context, f *loadFlags) (loadTarget, error) {
	d, err := httpload.New(h.opts)
	if err == nil && h.opts.Unix == "" {
		err = load.Resolve(ctx, d.Addresses()...)
	}
	if err != nil {
		return loadTarget{}, err
	}
	return loadTarget{
		name: h.name(), where: withoutSecrets(h.url),
		period: f.closedOrOpen(d, func() openSender { return load.NewPool(d, h.connections) }),
	}, nil
}

func (h *loadHTTP) address(f *loadFlags) (string, error) {
	if h.opts.Unix != "" {
		return "unix:" + h.opts.Unix, nil
	}
	u, err := url.Parse(filled.ReplaceAllString(h.opts.Targets[0].URL, "0"))
	if err != nil {
		return "", f.usage("-serve: %w", err)
	}
	if host := strings.SplitN(h.opts.Targets[0].URL, "/", 4); len(host) > 2 && filled.MatchString(host[2]) {
		return "", f.usage("-serve needs an address to wait for: use no template in %s", host[2])
	}
	port := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port)), nil
}

// filled matches templates.
var filled = lazyregexp.New(`\{\{.*?\}\}`)

// name is method and path, or the name of the file of targets.
func (h *loadHTTP) name() string {
	if h.targetsFile != "" {
		base := path.Base(h.targetsFile)
		return strings.TrimSuffix(base, path.Ext(base))
	}
	_, rest, _ := strings.Cut(h.url, "://")
	_, rest, _ = strings.Cut(rest, "/")
	rest, _, _ = strings.Cut(filled.ReplaceAllString(rest, "*"), "?")
	return strings.TrimSuffix(cmp.Or(h.target.Method, "GET")+path.Clean("/"+rest), "/")
}
