package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/daemon"
	"github.com/hone-go/hone/internal/server/auth"
)

const sessionHelp = `usage: hone session list [flags]
       hone session end [flags] NAME|ID...

List who is logged in to hone serve in a browser, and end sessions.

Examples:

  hone session list
  hone session end alice@example.com
  hone session list -server https://hone.example.com

Flags for a running server:

  -server URL     the server ($HONE_SERVER, unless you give -data or -config)
  -token-file FILE
                  file with the access token (the token in $HONE_TOKEN)
  -tls_ca FILE, -tls_cert FILE, -tls_key FILE
                  the authority to trust, a client certificate and its key

Flags for a server on this machine:

  -data DIR       its data directory (as in hone serve)
  -config FILE    take the directory from the server's configuration

Output:

  -json           print as JSON

Exit codes: 0 success, 1 failure, 2 wrong usage.

end takes a person or token, whose sessions all end, or the id of one session. A running
server shows the sessions that your token may end: all of them for an admin. Sessions
end at once, and stay ended after a restart.
`

// sessionAccess is where sessions are: in the file of a server, or at a running server.
type sessionAccess struct {
	list func() ([]auth.Session, error)
	end  func(these []auth.Session) (ended []auth.Session, err error)
}

func runSession(ctx context.Context, a *app, args []string) error {
	var asJSON bool
	var f serveFlags
	var remote serverFlags
	fetcher := &capture.Fetcher{}
	c, err := parseCommand("session", []string{"list", "end"}, args, func(fs *flag.FlagSet) {
		fs.StringVar(&f.Data, "data", "", "")
		fs.StringVar(&f.config, "config", "", "")
		remote.define(fs)
		tlsFlags(fs, fetcher)
		fs.BoolVar(&asJSON, "json", false, "")
	})
	if err != nil {
		return err
	}
	local := f.Data != "" || f.config != ""
	asked := remote.server != "" || remote.tokenFile != ""
	switch {
	case c.name == "list" && len(c.args) > 0:
		return c.usage("unexpected argument %q: hone session list takes only flags", c.args[0])
	case c.name == "end" && len(c.args) == 0:
		return c.usage("missing session: use hone session end NAME|ID (hone session list shows all sessions)")
	case local && asked:
		return c.usage("-data and -config can't be combined with -server or -token-file: they are for a server on this machine")
	}
	var kept sessionAccess
	if asked || !local && a.getenv("HONE_SERVER") != "" {
		client, err := remote.client(ctx, a, "session", fetcher)
		if err != nil {
			return err
		}
		kept = client.sessions(ctx)
	} else {
		cfg, err := f.resolved(ctx, a.getenv)
		if err != nil {
			return err
		}
		kept = localSessions(a, cfg)
	}
	all, err := kept.list()
	if err != nil {
		return err
	}
	if c.name == "list" {
		return printSessions(a, all, asJSON)
	}
	these, err := namedSessions(all, c.args)
	if err != nil {
		return err
	}
	ended, err := kept.end(these)
	if err != nil {
		return err
	}
	if asJSON {
		return printSessions(a, ended, true)
	}
	_, err = fmt.Fprintf(a.stdout, "Ended %s.\n", compare.Counted(len(ended), "session"))
	return err
}

// namedSessions returns the sessions with these names or IDs, all of which must exist.
func namedSessions(all []auth.Session, which []string) (these []auth.Session, err error) {
	is := func(s auth.Session, name string) bool { return s.ID == name || s.Name == name }
	for _, name := range which {
		if !slices.ContainsFunc(all, func(s auth.Session) bool { return is(s, name) }) {
			return nil, fmt.Errorf("unknown session %q: hone session list shows all sessions", name)
		}
	}
	for _, s := range all {
		if slices.ContainsFunc(which, func(name string) bool { return is(s, name) }) {
			these = append(these, s)
		}
	}
	return these, nil
}

// localSessions are the sessions in the file of a server on this machine.
func localSessions(a *app, cfg *daemon.Config) sessionAccess {
	sessions := auth.OpenSessions(cfg.SessionsFile())
	return sessionAccess{sessions.List, func(these []auth.Session) ([]auth.Session, error) {
		ended, err := sessions.End(func(s *auth.Session) bool {
			return slices.ContainsFunc(these, func(one auth.Session) bool { return one.ID == s.ID })
		})
		for _, s := range ended {
			auditOf(a, cfg, "session.end", s.Name, s.ID)
		}
		return ended, err
	}}
}

// sessions are the sessions of a running server that its caller may end.
func (c *serverClient) sessions(ctx context.Context) sessionAccess {
	const path = "/api/v1/sessions"
	return sessionAccess{func() ([]auth.Session, error) {
		var answer struct{ Sessions []auth.Session }
		err := c.json(ctx, path, nil, &answer)
		return answer.Sessions, err
	}, func(these []auth.Session) (ended []auth.Session, err error) {
		for _, s := range these {
			resp, err := c.do(ctx, http.MethodDelete, path+"/"+s.ID, nil, nil)
			if err != nil {
				return ended, err
			}
			switch resp.StatusCode {
			case http.StatusNoContent:
				ended = append(ended, s)
			case http.StatusNotFound: // it has ended in the meantime
			default:
				err = c.failure(resp)
			}
			resp.Body.Close()
			if err != nil {
				return ended, err
			}
		}
		return ended, nil
	}}
}

func printSessions(a *app, all []auth.Session, asJSON bool) error {
	if asJSON {
		return writeJSON(a.stdout, map[string][]auth.Session{"sessions": append([]auth.Session{}, all...)})
	}
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tID\tBY\tADDRESS\tBEGUN\tEXPIRES")
	for _, s := range all {
		by := "token"
		if s.Issuer != "" {
			by = s.Issuer
		}
		const minutes = "2006-01-02 15:04"
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, s.ID, by, s.Address, time.Unix(s.Begun, 0).Format(minutes), time.Unix(s.Expires, 0).Format(minutes))
	}
	return w.Flush()
}
