package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"text/tabwriter"

	"golang.org/x/perf/benchunit"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/daemon"
	"github.com/hone-go/hone/internal/store/disk"
)

const storeHelp = `usage: hone store stats DIR|URL
       hone store verify DIR
       hone store repair DIR
       hone store backup DIR TO
       hone store backup [-server URL] [-name NAME]
       hone store create URL
       hone store copy FROM TO
       hone store delete -service NAME [-yes] DIR|URL
       hone store delete -service NAME [-yes] -server URL

Look after the profiles that hone serve keeps. DIR is its data directory, or the
store in it; the server must not be running, but for a backup by a server, which
wants one of -server, -name and $HONE_SERVER.

  stats           print figures: profiles, bytes, and those of each service, the
                  largest first; sizes on disk are estimates
  verify          read everything and report what is damaged, and how many
                  profiles can't be read; changes nothing. Exit code 1 if there
                  is something
  repair          write what can be read to a new store, which takes the place of
                  the old one, and say what is lost; the old one is kept beside it
  backup          copy the store to the directory TO, which must not exist; hone
                  serve -data can be given one with the copy in it, as store
  create          make the tables of a store in ClickHouse, on all servers of a
                  cluster if the URL names one, or bring them to this version;
                  what is there stays
  copy            copy the profiles of a store to another, each of them a DIR,
                  which is made if TO isn't there, or a URL, and compare all in
                  the end; one that was interrupted goes on when it is repeated
  delete          delete all profiles of one service, with its series and sums;
                  without -yes only say how many there are. A server is asked
                  with -server or $HONE_SERVER and the token of an admin

A store in ClickHouse is told by its address, as for hone serve -store:

  clickhouse://USER@HOST:8123,HOST2:8123/DATABASE?cluster=NAME&password-file=FILE

with more options in doc/cluster.md, which also tells how to back one up. hone
store stats prints figures of it; ClickHouse verifies and repairs its tables itself.

A running server copies its store itself, to backups/NAME in its data directory:

` + serverHelp + `  -tls_ca FILE, -tls_cert FILE, -tls_key FILE
                  the authority to trust, a client certificate and its key
  -name NAME      what the copy is called; the time by default
  -service NAME   the service to delete
  -yes            delete it
  -json           print as JSON

Examples:

  hone store verify /srv/hone
  hone store backup /srv/hone /backup/hone/store
  hone store backup -server https://hone.example.com -name before-upgrade
  hone store create 'clickhouse://hone@ch1:8123,ch2:8123/hone?cluster=main'
  hone store delete -service old-api -server https://hone.example.com
  hone store copy /srv/hone 'clickhouse://hone@ch1:8123/hone?cluster=main'
`

func runStore(ctx context.Context, a *app, args []string) error {
	var f serverFlags
	var name, service string
	var asJSON, yes bool
	fetcher := &capture.Fetcher{}
	c, err := parseCommand("store", []string{"stats", "verify", "repair", "backup", "create", "copy", "delete"}, args, func(fs *flag.FlagSet) {
		fs.StringVar(&f.server, "server", "", "")
		fs.StringVar(&f.tokenFile, "token_file", "", "")
		fs.StringVar(&name, "name", "", "")
		fs.StringVar(&service, "service", "", "")
		fs.BoolVar(&yes, "yes", false, "")
		fs.BoolVar(&asJSON, "json", false, "")
		fs.StringVar(&fetcher.TLSCA, "tls_ca", "", "")
		fs.StringVar(&fetcher.TLSCert, "tls_cert", "", "")
		fs.StringVar(&fetcher.TLSKey, "tls_key", "", "")
	})
	if err != nil {
		return err
	}
	if c.name == "backup" {
		given := f.server != "" || name != ""
		if given && c.args.NArg() > 0 {
			return c.usage("a running server chooses the place of a backup: -name NAME names it")
		}
		if given || c.args.NArg() == 0 && a.getenv("HONE_SERVER") != "" {
			return backupServer(ctx, a, &f, fetcher, name)
		}
	}
	switch {
	case c.name == "delete" && service == "":
		return c.usage("-service is missing: name the service to delete")
	case c.name != "delete" && (service != "" || yes):
		return c.usage("-service and -yes are for hone store delete")
	case c.name == "delete" && f.server != "" && c.args.NArg() > 0:
		return c.usage("a running server deletes from its own store: leave out %s, or -server", c.args.Arg(0))
	case c.name == "delete" && (f.server != "" || c.args.NArg() == 0 && a.getenv("HONE_SERVER") != ""):
		return deleteServiceAt(ctx, a, &f, fetcher, service, yes, asJSON)
	}
	if n := map[string]int{"delete": 1, "stats": 1, "verify": 1, "repair": 1, "backup": 2, "create": 1, "copy": 2}[c.name]; c.args.NArg() != n {
		return c.usage("hone store %s takes %s, not %d", c.name, counted(n, "store"), c.args.NArg())
	}
	switch remote := isRemote(c.args.Arg(0)); {
	case c.name == "delete":
		return deleteService(ctx, a, c.args.Arg(0), service, yes, asJSON)
	case c.name == "copy":
		return copyStore(ctx, a, c.args.Arg(0), c.args.Arg(1))
	case c.name == "create" && !remote:
		return c.usage("%s is no address of ClickHouse, such as clickhouse://localhost:8123/hone; hone serve makes the store in its data directory itself", c.args.Arg(0))
	case c.name == "create":
		return createStore(ctx, a, c.args.Arg(0))
	case c.name == "stats" && remote:
		return remoteStats(ctx, a, c.args.Arg(0), asJSON)
	case remote:
		return c.usage("hone store %s needs a store in a directory: for ClickHouse, use its own tools (see doc/cluster.md)", c.name)
	}
	dir, err := storeDir(c.args.Arg(0))
	if err != nil {
		return err
	}
	switch c.name {
	case "verify":
		return verifyStore(ctx, a, dir)
	case "repair":
		return repairStore(ctx, a, dir)
	}
	// Read-only: nothing is packed or dropped.
	st, err := disk.Open(dir, disk.Options{PackAfter: -1, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer st.Close()
	if c.name == "backup" {
		if err := st.Backup(ctx, c.args.Arg(1)); err != nil {
			return err
		}
		_, err := fmt.Fprintf(a.stdout, "Copied %s to %s.\n", dir, c.args.Arg(1))
		return err
	}
	return storeStats(ctx, a, st, asJSON)
}

// storeStats prints figures of a store, and of each service in it, the largest first.
func storeStats(ctx context.Context, a *app, st *disk.Store, asJSON bool) error {
	figures := daemon.StoreFigures(st.Stats())
	services, err := st.Services(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		figures["services"] = services
		return writeJSON(a.stdout, figures)
	}
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		fmt.Fprintf(a.stdout, "%-12s %v\n", name, figures[name])
	}
	if len(services) == 0 {
		return nil
	}
	fmt.Fprintln(a.stdout)
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "profiles\tsamples\ton disk, about\t  service")
	bytes := func(n int64) string { return benchunit.Scale(float64(n), benchunit.Binary) + "B" }
	for _, s := range services {
		fmt.Fprintf(w, "%d\t%s\t%s\t  %s\n", s.Profiles, bytes(s.SampleBytes), bytes(s.DiskBytes), compare.Printable(s.Service))
	}
	return w.Flush()
}

func verifyStore(ctx context.Context, a *app, dir string) error {
	problems := 0
	found, err := disk.Verify(ctx, dir, nil, func(problem string) {
		problems++
		fmt.Fprintln(a.stdout, problem)
	})
	if err != nil {
		return err
	}
	if problems > 0 {
		return fmt.Errorf("%s has %s: %v; hone store repair makes a new store of what can be read", dir, counted(problems, "fault"), found)
	}
	_, err = fmt.Fprintf(a.stdout, "%s is good: %s.\n", dir, counted(int(found.Profiles), "profile"))
	return err
}

func repairStore(ctx context.Context, a *app, dir string) error {
	done, err := disk.Repair(ctx, dir, disk.Options{}, func(problem string) { fmt.Fprintln(a.stdout, problem) })
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "%s is repaired: %v. The old store is %s.\n", dir, done, done.Old)
	return err
}

// backupServer asks a running server to copy its store.
func backupServer(ctx context.Context, a *app, f *serverFlags, fetcher *capture.Fetcher, name string) error {
	c, err := f.client(ctx, a, "store", fetcher)
	if err != nil {
		return err
	}
	query := url.Values{}
	if name != "" {
		query.Set("name", name)
	}
	resp, err := c.do(ctx, http.MethodPost, "/api/v1/backup", query, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		return c.failure(resp)
	}
	var made struct {
		Name string `json:"name"`
	}
	data, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err := json.Unmarshal(data, &made); err != nil {
		return c.notHone(resp, data)
	}
	_, err = fmt.Fprintf(a.stdout, "The server copied its store to backups/%s in its data directory.\n", made.Name)
	return err
}
