package daemon

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"

	"github.com/hone-go/hone/internal/advisor"
	"github.com/hone-go/hone/internal/ingest/cloudprofiler"
	"github.com/hone-go/hone/internal/server/auth"
)

// Verify tells whether a server would start, as far as that can be told without
// one: all that is wrong, of which found is known already, or how people log in.
func (c *Config) Verify(ctx context.Context, found Problems) (login string, err error) {
	log := slog.New(slog.DiscardHandler)
	if c.TLS.Cert != "" {
		// That one of the two is missing is known already.
		if _, err := openCertificate(c.TLS.Cert, c.TLS.Key, log); err != nil && c.TLS.Key != "" {
			found = append(found, c.Blame("tls", err))
		}
	}
	if _, err := auth.OpenTokens(c.Auth.Tokens); err != nil {
		found = append(found, c.Blame("auth.tokens", err))
	}
	if c.Module != "" {
		if _, err := advisor.ModuleOf(c.Module); err != nil {
			found = append(found, c.Blame("module", err))
		}
	}
	loopback := true
	if host, _, err := net.SplitHostPort(c.Listen); err == nil {
		loopback = host != ""
		if loopback {
			ips, err := net.DefaultResolver.LookupIPAddr(ctx, host)
			if err != nil {
				found = append(found, c.Blame("listen", err))
			}
			for _, ip := range ips {
				loopback = loopback && ip.IP.IsLoopback()
			}
		}
		found = append(found, Separate(c.exposure(loopback))...)
	}
	if host, _, err := net.SplitHostPort(c.CloudProfiler.Proxy); err == nil && !c.needsLogin(loopback) && !cloudprofiler.IsLocal(host) {
		found = append(found, c.Blame("cloud_profiler.proxy", cloudprofiler.ErrOpenProxy))
	}
	if err := found.Err(); err != nil {
		return "", err
	}
	login = "no login"
	if c.needsLogin(loopback) {
		login = "login required, tokens in " + c.Auth.Tokens
		if c.Auth.OIDC != nil {
			login += ", and " + c.Auth.OIDC.Issuer
		}
	}
	return login, nil
}

// module returns the module that there is advice on: the one that is named, or, where
// nobody else reaches the server, the one of the current folder. It is nil without one.
func (c *Config) module(public bool) (*advisor.Module, error) {
	switch {
	case c.Module != "":
		m, err := advisor.ModuleOf(c.Module)
		if err != nil {
			return nil, c.Blame("module", err)
		}
		return m, nil
	case public:
		return nil, nil
	}
	m, err := advisor.ModuleOf(".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return m, err
}
