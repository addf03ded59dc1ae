package main

import (
	"context"
	"flag"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/hone-go/hone/internal/daemon"
	"github.com/hone-go/hone/internal/server/auth"
)

const sessionHelp = `usage: hone session list [flags]
       hone session end [flags] NAME|ID...

List who is logged in to hone serve in a browser, and end sessions: all of a
person or token, or single ones. Run it on the server's machine; it sees ends at
once, and they outlast it.

  -data DIR       the directory of the server; as of hone serve by default
  -config FILE    take it from the server's configuration
  -json           print as JSON

Examples:

  hone session list
  hone session end alice@example.com
`

func runSession(_ context.Context, a *app, args []string) error {
	var asJSON bool
	var f serveFlags
	c, err := parseCommand("session", []string{"list", "end"}, args, func(fs *flag.FlagSet) {
		fs.StringVar(&f.Data, "data", "", "")
		fs.StringVar(&f.config, "config", "", "")
		fs.BoolVar(&asJSON, "json", false, "")
	})
	if err != nil {
		return err
	}
	switch {
	case c.name == "list" && c.flags.NArg() > 0:
		return c.usage("unexpected %q: hone session list takes flags alone", c.flags.Arg(0))
	case c.name == "end" && c.flags.NArg() == 0:
		return c.usage("the name or ID of a session is missing")
	}
	cfg, err := f.resolved(a.getenv)
	if err != nil {
		return err
	}
	sessions := auth.OpenSessions(cfg.SessionsFile())
	if c.name == "end" {
		return a.endSessions(cfg, sessions, c.flags.Args(), asJSON)
	}
	all, err := sessions.List()
	if err != nil {
		return err
	}
	return a.printSessions(all, asJSON)
}

// endSessions ends the sessions with names or IDs. Each of those has to be one.
func (a *app) endSessions(cfg *daemon.Config, sessions *auth.Sessions, which []string, asJSON bool) error {
	known, err := sessions.List()
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, name := range which {
		wanted[name] = false
	}
	for _, s := range known {
		for _, name := range []string{s.ID, s.Name} {
			if _, ok := wanted[name]; ok {
				wanted[name] = true
			}
		}
	}
	for _, name := range which {
		if !wanted[name] {
			return fmt.Errorf("there is no session %q; hone session list shows those that there are", name)
		}
	}
	ended, err := sessions.End(func(s *auth.Session) bool { return wanted[s.ID] || wanted[s.Name] })
	if err != nil {
		return err
	}
	for _, s := range ended {
		a.auditOf(cfg, "session.end", s.Name, s.ID)
	}
	if asJSON {
		return a.printSessions(ended, true)
	}
	_, err = fmt.Fprintf(a.stdout, "Ended %s.\n", counted(len(ended), "session"))
	return err
}

func (a *app) printSessions(all []auth.Session, asJSON bool) error {
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
