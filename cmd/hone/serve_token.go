package main

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/daemon"

	"github.com/hone-go/hone/internal/server/auth"
)

const tokenHelp = `usage: hone token add [flags] NAME
       hone token list [flags]
       hone token remove [flags] NAME|ID

Add, list and remove the access tokens of hone serve.

Examples:

  hone token add -role write -service 'shop-*' agents
  hone token add -role read -expires 90d alice
  hone token remove agents

Flags of add:

  -role ROLE,...  read: look at profiles; write: send profiles; admin: both, make
                  backups, delete services, and end sessions or remove markers of
                  others (write)
  -service NAME,...
                  limit the token to these services; * matches any text, as in 'shop-*'
                  (all services)
  -expires AGE    when the token expires, such as 90d (never)

Flags of all commands:

  -data DIR       data directory of the server (as in hone serve)
  -tokens FILE    file with the tokens (DIR/tokens.json)
  -config FILE    take both from the server's configuration
  -json           print as JSON

Exit codes: 0 success, 1 failure, 2 wrong usage.

A token is printed once, when you add it; the file keeps only a hash. A server that
requires a login sees changes at once. A server that doesn't must be restarted after you
add the first token.

Programs send the token as "Authorization: Bearer TOKEN", as the password of Basic
authentication (http://hone:TOKEN@host:4600/), or as X-Goog-Api-Key. People log in with
it in the browser.
`

func runToken(ctx context.Context, a *app, args []string) error {
	var role, services, expires string
	var asJSON bool
	var f serveFlags
	c, err := parseCommand("token", []string{"add", "list", "remove"}, args, func(fs *flag.FlagSet) {
		fs.StringVar(&role, "role", "write", "")
		fs.StringVar(&services, "service", "", "")
		fs.StringVar(&expires, "expires", "", "")
		fs.StringVar(&f.Data, "data", "", "")
		fs.StringVar(&f.Auth.Tokens, "tokens", "", "")
		fs.StringVar(&f.config, "config", "", "")
		fs.BoolVar(&asJSON, "json", false, "")
	})
	if err != nil {
		return err
	}
	switch n := map[string]int{"add": 1, "list": 0, "remove": 1}[c.name]; {
	case c.name == "add" && len(c.args) == 0:
		return c.usage("missing name: use hone token add NAME")
	case c.name == "remove" && len(c.args) == 0:
		return c.usage("missing token: use hone token remove NAME|ID (hone token list shows all tokens)")
	case len(c.args) > n:
		return c.usage("unexpected argument %q: hone token %s takes %s", c.args[n], c.name, compare.Counted(n, "name"))
	}
	cfg, err := f.resolved(ctx, a.getenv)
	if err != nil {
		return err
	}
	tokens, err := auth.OpenTokens(cfg.Auth.Tokens)
	if err != nil {
		return err
	}
	switch c.name {
	case "list":
		return listTokens(a, tokens.List(), cfg.Auth.Tokens, asJSON)
	case "remove":
		t, err := tokens.Remove(c.args[0])
		if err != nil {
			return err
		}
		auditToken(a, cfg, "token.remove", t)
		_, err = fmt.Fprintf(a.stdout, "Removed %s.\n", t.Name)
		return err
	}
	roles, err := auth.ParseRoles(splitList(role))
	if err != nil {
		return c.usage("-role: %w", err)
	}
	var until time.Time
	if expires != "" {
		d, err := api.ParseDuration(expires)
		if err != nil {
			return c.usage("-expires: %w", err)
		}
		until = time.Now().Add(d)
	}
	first := len(tokens.List()) == 0
	secret, t, err := tokens.Add(c.args[0], roles, splitList(services), until)
	if err != nil {
		return err
	}
	auditToken(a, cfg, "token.add", t)
	if first {
		a.warn("This is the first token. Restart a server that runs without a login to make it require one.")
	}
	if asJSON {
		return writeJSON(a.stdout, struct {
			*auth.Token
			Secret string `json:"token"`
		}{t, secret})
	}
	a.warn("Save this token now; it can't be shown again.")
	_, err = fmt.Fprintln(a.stdout, secret)
	return err
}

// listTokens prints the tokens of a file.
func listTokens(a *app, tokens []*auth.Token, file string, asJSON bool) error {
	if asJSON {
		return writeJSON(a.stdout, map[string][]*auth.Token{"tokens": append([]*auth.Token{}, tokens...)})
	}
	if len(tokens) == 0 {
		_, err := fmt.Fprintf(a.stdout, "No tokens in %s: hone token add makes one.\n", compare.Printable(file))
		return err
	}
	fmt.Fprintf(a.stdout, "%s in %s\n", compare.Counted(len(tokens), "token"), compare.Printable(file))
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tID\tROLES\tSERVICES\tCREATED\tEXPIRES")
	for _, t := range tokens {
		services, expires := "all", "never"
		if t.Services != nil {
			services = strings.Join(t.Services, ",")
		}
		if t.Expires != 0 {
			expires = time.Unix(t.Expires, 0).Format(time.DateOnly)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", t.Name, t.ID, strings.Join(t.Roles, ","), services, time.Unix(t.Created, 0).Format(time.DateOnly), expires)
	}
	return w.Flush()
}

// auditToken records a change of tokens in the server's audit log.
func auditToken(a *app, cfg *daemon.Config, action string, t *auth.Token) {
	auditOf(a, cfg, action, t.Name, strings.Join(t.Roles, ",")+" "+strings.Join(t.Services, ","))
}

// auditOf records an action of the command line in the server's audit log.
func auditOf(a *app, cfg *daemon.Config, action, target, detail string) {
	warn := func(err error) { a.warn(compare.OneLine(err)) }
	log, err := auth.OpenAudit(filepath.Join(cfg.Data, "audit.log"), 0, warn)
	if err != nil {
		warn(err)
		return
	}
	defer log.Close()
	log.Log(auth.Event{Action: action, Result: auth.OK, Who: a.getenv("USER"), By: "command line", Target: target, Detail: detail})
}
