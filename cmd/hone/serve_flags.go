package main

import (
	"cmp"
	"context"
	"encoding"
	"flag"
	"fmt"
	"path/filepath"

	"github.com/hone-go/hone/internal/daemon"
	"github.com/hone-go/hone/internal/shell"
)

// serveFlags are the flags of hone serve.
type serveFlags struct {
	config string // file
	check  bool
	set    map[string]bool // names of flags given
	daemon.Config
	retention, maxSize, maxAnswer string
	proxy                         optionalAddress
}

// optionalAddress is a flag whose value is optional.
type optionalAddress string

func (o *optionalAddress) String() string { return string(*o) }

func (o *optionalAddress) IsBoolFlag() bool { return true }

func (o *optionalAddress) Set(v string) error {
	switch v {
	case "true":
		*o = daemon.DefaultProxy
	case "false":
		*o = ""
	default:
		*o = optionalAddress(v)
	}
	return nil
}

func parseServeFlags(args []string) (*serveFlags, error) {
	f := &serveFlags{set: map[string]bool{}}
	fs := newFlags("serve")
	fs.StringVar(&f.config, "config", "", "")
	fs.BoolVar(&f.check, "check", false, "")
	fs.StringVar(&f.Listen, "listen", "", "")
	fs.StringVar(&f.Data, "data", "", "")
	fs.StringVar(&f.Store.URL, "store", "", "")
	fs.StringVar(&f.PublicURL, "public-url", "", "")
	fs.StringVar(&f.SourcePath, "source-path", "", "")
	fs.StringVar(&f.BinaryPath, "binary-path", "", "")
	fs.StringVar(&f.Module, "module", "", "")
	fs.StringVar(&f.retention, "retention", "", "")
	fs.StringVar(&f.maxSize, "max-size", "", "")
	fs.StringVar(&f.maxAnswer, "max-answer", "", "")
	fs.StringVar(&f.Log.Format, "log-format", "", "")
	fs.StringVar(&f.Log.Level, "log-level", "", "")
	fs.StringVar(&f.TLS.Cert, "tls-cert", "", "")
	fs.StringVar(&f.TLS.Key, "tls-key", "", "")
	fs.StringVar(&f.Config.Auth.Tokens, "tokens", "", "")
	fs.BoolVar(&f.AllowAnyone, "allow-anyone", false, "")
	fs.BoolVar(&f.AllowPlaintext, "allow-plaintext", false, "")
	fs.Var(&f.proxy, "cloud-profiler-proxy", "")
	singleFlags(fs)
	if err := shell.ParseFlags("serve", fs, args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 {
		return nil, &shell.UsageError{Verb: "serve", Err: fmt.Errorf("unexpected argument %q: hone serve takes only flags", fs.Arg(0))}
	}
	fs.Visit(func(one *flag.Flag) { f.set[one.Name] = true })
	return f, nil
}

// resolved combines flags and file to a configuration. If single settings are wrong, it
// returns both the configuration and an error with all problems.
func (f *serveFlags) resolved(ctx context.Context, getenv func(string) string) (*daemon.Config, error) {
	c, err := daemon.ReadConfig(ctx, f.config)
	if c == nil {
		return nil, err
	}
	found := daemon.Problems(daemon.Separate(err))
	for _, s := range []struct {
		to   *string
		from string
	}{
		{&c.Listen, f.Listen}, {&c.Data, f.Data}, {&c.Store.URL, f.Store.URL}, {&c.PublicURL, f.PublicURL}, {&c.SourcePath, f.SourcePath},
		{&c.BinaryPath, f.BinaryPath}, {&c.Module, f.Module},
		{&c.Log.Format, f.Log.Format}, {&c.Log.Level, f.Log.Level}, {&c.TLS.Cert, f.TLS.Cert}, {&c.TLS.Key, f.TLS.Key},
		{&c.Auth.Tokens, f.Auth.Tokens},
	} {
		*s.to = cmp.Or(s.from, *s.to)
	}
	c.AllowAnyone = c.AllowAnyone || f.AllowAnyone
	c.AllowPlaintext = c.AllowPlaintext || f.AllowPlaintext
	if f.set["cloud-profiler-proxy"] {
		c.CloudProfiler.Proxy = string(f.proxy)
	}
	retention := f.retention
	if retention == "0" { // forever
		c.Store.Retention, retention = 0, ""
	}
	for _, s := range []struct {
		name, from string
		to         encoding.TextUnmarshaler
	}{{"retention", retention, &c.Store.Retention}, {"max-size", f.maxSize, &c.Store.MaxSize}, {"max-answer", f.maxAnswer, &c.Queries.MaxAnswer}} {
		if s.from == "" {
			continue
		}
		if err := s.to.UnmarshalText([]byte(s.from)); err != nil {
			found = append(found, &shell.UsageError{Verb: "serve", Err: fmt.Errorf("-%s: %w", s.name, err)})
		}
	}
	if c.Data == "" {
		c.Data = daemon.DefaultData(getenv)
	}
	c.Auth.Tokens = cmp.Or(c.Auth.Tokens, filepath.Join(c.Data, "tokens.json"))
	return c, append(found, c.Check()...).Err()
}
