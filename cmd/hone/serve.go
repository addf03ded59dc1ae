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

Collect profiles of programs all the time, keep them, and show them: what each
service spends, over time, by version, zone, instance or any label, and what
changed. Programs send profiles with hone's agent or with those of Cloud
Profiler, Pyroscope, Parca and OpenTelemetry, or hone fetches them. ^C ends it.

  -listen HOST:PORT
                  where to listen; 127.0.0.1:4600 by default
  -data DIR       where profiles are kept; by default $STATE_DIRECTORY, or
                  $XDG_STATE_HOME/hone, or ~/.local/state/hone
  -store URL      keep profiles in ClickHouse, as other servers may too:
                  clickhouse://USER@HOST:8123,HOST2:8123/DATABASE?OPTIONS, whose
                  tables hone store create makes; see doc/cluster.md
  -retention AGE  how long profiles are kept, such as 30d, which is the default;
                  0 is for ever
  -max-size SIZE  how much disk they may take, such as 100GB: the oldest go first
  -max_answer SIZE
                  refuse to answer with more than this, such as 512MB; 128MiB by
                  default, and a quarter of in_flight at most
  -config FILE    read settings from a file; flags have the last word
  -check          check settings and the files they name, tell all that is wrong,
                  and end
  -log-format text|json, -log-level debug|info|warn|error
                  what is logged on standard error

Others can reach the server only if it asks them to log in and has TLS:

  -tls-cert FILE, -tls-key FILE
                  the certificate; it is read again when the files change
  -tokens FILE    the tokens that programs and people log in with, made by
                  hone token; DIR/tokens.json by default
  -public-url URL the address that browsers know the server by
  -allow-anyone   let everyone who can connect read and write all profiles
  -allow-plaintext
                  let tokens and profiles go over the network unencrypted

  -cloud-profiler-proxy[=HOST:PORT]
                  serve programs with the agent of Cloud Profiler that can't be
                  told of another server, at 127.0.0.1:4601 by default
  -source-path DIRS
                  where source code is looked for, besides GOROOT and modules
  -binary-path DIRS
                  where binaries are looked for that profiles name; nowhere by
                  default
  -module DIR     the folder of a module whose services there is advice on, as of
                  hone advise; where only this machine can reach the server, the
                  module that it is started in by default

Settings of the file: doc/reference/configuration.md. Tokens and logins:
doc/security.md. The API: doc/api.md.

Examples:

  hone serve
  hone serve -data /srv/hone -retention 90d -max-size 200GB
  hone serve -store clickhouse://hone@ch1:8123,ch2:8123/hone?cluster=main
  hone token add -role write -service 'shop-*' agents
  hone serve -listen :4600 -tls-cert cert.pem -tls-key key.pem
  hone serve -config hone-serve.toml -check
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
