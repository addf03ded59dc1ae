package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/hone-go/hone/internal/daemon"
	"github.com/hone-go/hone/internal/report"
	"github.com/hone-go/hone/internal/server/reports"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/symbol"
	"github.com/hone-go/hone/profile"
)

const serveHelp = `usage: hone serve [flags]

Collect profiles of programs continuously, store them, and show them in a web UI.

Examples:

  hone serve
  hone serve -data /srv/hone -retention 90d -max-size 200GB
  hone serve -listen :4600 -tls-cert cert.pem -tls-key key.pem

Flags for storage:

  -data DIR       where profiles are kept ($STATE_DIRECTORY, $XDG_STATE_HOME/hone or
                  ~/.local/state/hone)
  -store URL      store profiles in ClickHouse, which servers can share:
                  clickhouse://USER@HOST:8123,HOST2:8123/DATABASE?OPTIONS.
                  "hone store create" makes the tables; see doc/cluster.md
  -retention AGE  how long to keep profiles (30d; 0: forever)
  -max-size SIZE  disk space for profiles, such as 100GB; the oldest are deleted first
  -max-answer SIZE
                  refuse larger answers (128MiB, and at most a quarter of in_flight, the
                  memory that the configuration allows for all requests)

Flags for access:

  -listen HOST:PORT
                  where to listen (127.0.0.1:4600)
  -tls-cert FILE, -tls-key FILE
                  certificate and key; reloaded when the files change
  -tokens FILE    access tokens, made by hone token (DIR/tokens.json)
  -public-url URL the server's address in browsers
  -allow-anyone   let everyone who can connect read and write all profiles
  -allow-plaintext
                  allow tokens and profiles to cross the network unencrypted
  -cloud-profiler-proxy[=HOST:PORT]
                  accept profiles from Cloud Profiler agents that can't be configured
                  to use another server (off; without a value: 127.0.0.1:4601)

Flags for source code:

  -source-path DIRS
                  where to find source code, in addition to GOROOT and modules
  -binary-path DIRS
                  where to find the binaries that profiles name (nowhere)
  -module DIR     give advice on the services of this module, like hone advise (the
                  current module, if only this machine can reach the server)

Other flags:

  -config FILE    read settings from a file; flags override it
  -check          check the settings and the files they name, report all problems, and
                  exit
  -log-format text|json, -log-level debug|info|warn|error
                  log format and level on standard error (text, info)

Exit codes: 0 success, 1 failure, 2 wrong usage.

Programs send profiles with hone's agent, or with agents of Cloud Profiler, Pyroscope,
Parca and OpenTelemetry, or hone scrapes them. Other machines can connect only if the
server has TLS and asks for a token. ^C stops the server.

Settings of the file: doc/reference/configuration.md. Tokens and logins:
doc/security.md. The API: doc/api.md.
`

func runServe(ctx context.Context, a *app, args []string) error {
	flags, err := parseServeFlags(args)
	if err != nil {
		return err
	}
	cfg, err := flags.resolved(ctx, a.getenv)
	if flags.check && cfg != nil {
		return checkConfig(ctx, a, cfg, daemon.Separate(err))
	}
	if err != nil {
		return err
	}
	return daemon.Run(ctx, cfg, daemon.Options{
		Reload: func() (*daemon.Config, error) { return flags.resolved(ctx, a.getenv) },
		Site:   serveSite(a, cfg), Version: honeVersion(), Stdout: a.stdout, Stderr: a.stderr, Getenv: a.getenv,
	})
}

// checkConfig checks whether a server would start. found are the problems known so far; the
// error has all of them.
func checkConfig(ctx context.Context, a *app, cfg *daemon.Config, found daemon.Problems) error {
	login, err := cfg.Verify(ctx, found)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "The settings are valid: listen on %s, profiles in %s, %s.\n", cfg.Listen, cfg.Keeps(), login)
	return nil
}

// serveSite returns how a server reads and shows profiles: source and binaries come from
// configured folders only, never from paths that a profile names.
func serveSite(a *app, cfg *daemon.Config) reports.Config {
	inv := &shell.Invocation{Config: shell.DefaultConfig(), Seconds: -1, Timeout: -1}
	inv.SourcePath = cfg.SourcePath
	folders := symbol.Folders(filepath.SplitList(cfg.BinaryPath))
	site := uiConfig(a, inv)
	site.Decode = func(ctx context.Context, data []byte) (*profile.Profile, error) {
		l := newUIOpener(a, inv, false)
		l.open = folders.Open
		l.loader.Each = nil // the sender of a profile must not choose which files are read
		return l.uploaded(ctx, data)
	}
	site.Env.Binary = func(m *profile.Mapping) (report.Binary, error) { return mapped(m, folders.Open) }
	return site
}
