package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/mcp"
	"github.com/hone-go/hone/internal/shell"
)

const mcpHelp = `usage: hone mcp [flags] [SOURCE...]

Let a coding agent ask hone, by the Model Context Protocol on standard input and output.

Examples:

  hone mcp                            the runs of this module, and advice on its code
  hone mcp -allow run                 the agent may also run its benchmarks and tests
  hone mcp cpu.pb.gz heap.pb.gz       these profiles
  hone mcp -server https://hone.example.com
                                      profiles of services in production

Flags:

  -allow run      offer the tools prove, bench and load, which run the module's code
                  with your rights
  -runs DIR       where runs are kept (.hone/runs of this module)
  -server URL     ask a hone serve
  -token-file FILE
                  file with its access token (the token in $HONE_TOKEN)

All flags that select and fetch work as in hone pprof; see "hone help pprof".

Exit codes: 0 the agent left, 1 failure, 2 wrong usage.

Agents start this command themselves: name it in their configuration, in the folder of a
module. Tools: profiles, hot, why, compare, advise, history. Answers have at most 2,000
tokens, and say what they leave out and which call comes next. Tools read only the named
sources, the module and its runs. hone serve answers agents, too, at /mcp, with its
tokens. See doc/mcp.md.
`

// mcpFlags are the flags of hone mcp.
type mcpFlags struct {
	serverFlags
	runs  string
	allow bool
}

func (f *mcpFlags) define(fs *flag.FlagSet) {
	f.serverFlags.define(fs)
	fs.StringVar(&f.runs, "runs", "", "")
	fs.Func("allow", "", func(s string) error {
		if s != "run" {
			return fmt.Errorf("unknown right %q: use run", s)
		}
		f.allow = true
		return nil
	})
}

func runMCP(ctx context.Context, a *app, args []string) error {
	var f mcpFlags
	inv, err := shell.ParseVerb("ui", args, a.stderr, f.define)
	if usage := (*shell.UsageError)(nil); errors.As(err, &usage) {
		usage.Verb = "mcp"
	}
	if err != nil {
		return err
	}
	if f.server != "" && (len(inv.Sources) > 0 || f.allow) {
		return &shell.UsageError{Verb: "mcp", Err: errors.New("with -server, the profiles are the server's: leave out sources and -allow")}
	}
	c := mcp.Config{Version: honeVersion()}
	if f.server != "" {
		c.API, err = remoteAPI(ctx, a, &f, newOpener(a, inv).loader.Fetcher)
	} else {
		c.API, err = localAPI(ctx, a, inv, f.runs)
	}
	if err != nil {
		return err
	}
	if f.allow {
		c.Run = a.runVerb
	}
	out, ok := a.stdout.(io.WriteCloser)
	if !ok {
		out = nopCloser{a.stdout}
	}
	err = mcp.New(c, nil).Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(a.stdin), Writer: out})
	if ctx.Err() != nil {
		return nil // ^C is the usual end
	}
	return err
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// localAPI is the API of the web UI of a command line, in this process.
func localAPI(ctx context.Context, a *app, inv *shell.Invocation, root string) (mcp.API, error) {
	site, err := siteOfProfiles(ctx, a, inv, false)
	if err != nil {
		return nil, err
	}
	if root == "" {
		root = runsRoot()
	}
	kept, err := keptRuns(ctx, a, inv, false, root)
	if err != nil {
		return nil, err
	}
	const host = "localhost"
	srv, _, err := uiServer(ctx, a, inv, uiFlags{runsLater: true}, site, kept, server.Reach{Hosts: []string{host}})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/", nil)
	if err != nil {
		return nil, err
	}
	return mcp.InProcess(srv, r), nil
}

// remoteAPI is the API of a hone serve.
func remoteAPI(ctx context.Context, a *app, f *mcpFlags, fetcher *capture.Fetcher) (mcp.API, error) {
	client, err := f.client(ctx, a, "mcp", fetcher)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, path string, query url.Values) ([]byte, error) {
		resp, err := client.do(ctx, http.MethodGet, "/api/v1/"+path, query, nil)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(io.LimitReader(resp.Body, mcp.MaxAPIAnswer+1))
		if err != nil {
			return nil, err
		}
		return body, mcp.Failure(path, resp.StatusCode, body)
	}, nil
}

// runVerb runs another command line in this process, with nothing on standard input. Standard output and errors come together, as
// on a terminal.
func (a *app) runVerb(ctx context.Context, args []string, progress func(string)) (string, int) {
	var output bytes.Buffer
	inner := &app{stdin: strings.NewReader(""), stdout: &output, stderr: &output, getenv: a.getenv, told: progress}
	code := exitCode(ctx, inner, args)
	return output.String(), code
}
