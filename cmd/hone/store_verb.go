package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
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

Maintain the profiles that hone serve keeps.

Examples:

  hone store verify /srv/hone
  hone store backup -server https://hone.example.com -name before-upgrade
  hone store delete -service old-api -server https://hone.example.com

Commands:

  stats           print the number of profiles and bytes, in total and per service, the
                  largest first; a service's size on disk is an estimate. Profiles that
                  aren't packed yet are recent, and take more space
  verify          read everything, and report damage and how many profiles can't be
                  read; changes nothing. Exit code 1 if there is damage
  repair          move what can be read to a new store that replaces the old one, and
                  report losses; the old store is kept next to it
  backup          copy the store to a new directory TO, which hone serve can use as the
                  store in its -data directory; or have a running server copy it to
                  backups/NAME in its data directory
  create          create the tables of a ClickHouse store, or update them to this
                  version, on all servers of a cluster; existing profiles stay
  copy            copy all profiles to another store, and compare both. TO may be a new
                  directory. Repeat an interrupted copy to continue it
  delete          delete all profiles of a service. Without -yes, only count them. A
                  running server needs the token of an admin

Flags:

` + serverHelp + `  -tls_ca FILE, -tls_cert FILE, -tls_key FILE
                  the authority to trust, a client certificate and its key
  -name NAME      name of the backup (the time)
  -service NAME   the service to delete
  -yes            delete it
  -json           print as JSON

Exit codes: 0 success, 1 failure or damage, 2 wrong usage.

DIR is the data directory of a server, or the store in it. The server must not be
running, except for commands with -server or $HONE_SERVER. URL is a ClickHouse store, as
in hone serve -store:

  clickhouse://USER@HOST:8123,HOST2:8123/DATABASE?cluster=NAME&password-file=FILE

doc/cluster.md has more options, and says how to back up ClickHouse, which verifies and
repairs its tables itself.
`

func runStore(ctx context.Context, a *app, args []string) error {
	var f serverFlags
	var name, service string
	var asJSON, yes bool
	fetcher := &capture.Fetcher{}
	c, err := parseCommand("store", []string{"stats", "verify", "repair", "backup", "create", "copy", "delete"}, args, func(fs *flag.FlagSet) {
		f.define(fs)
		fs.StringVar(&name, "name", "", "")
		fs.StringVar(&service, "service", "", "")
		fs.BoolVar(&yes, "yes", false, "")
		fs.BoolVar(&asJSON, "json", false, "")
		tlsFlags(fs, fetcher)
	})
	if err != nil {
		return err
	}
	if c.name == "backup" {
		given := f.server != "" || name != ""
		if given && len(c.args) > 0 {
			return c.usage("a running server chooses where to put a backup: leave out the directory, and use -name NAME")
		}
		if given || len(c.args) == 0 && a.getenv("HONE_SERVER") != "" {
			return backupServer(ctx, a, &f, fetcher, name)
		}
	}
	switch {
	case c.name == "delete" && service == "":
		return c.usage("missing service: use hone store delete -service NAME %s", storesOf["delete"].form)
	case c.name != "delete" && (service != "" || yes):
		return c.usage("-service and -yes need hone store delete")
	case c.name == "delete" && f.server != "" && len(c.args) > 0:
		return c.usage("-server can't be combined with a store: leave out %s, or -server", c.args[0])
	case c.name == "delete" && (f.server != "" || len(c.args) == 0 && a.getenv("HONE_SERVER") != ""):
		return deleteServiceAt(ctx, a, &f, fetcher, service, yes, asJSON)
	}
	if err := needStores(c); err != nil {
		return err
	}
	switch remote := isRemote(c.args[0]); {
	case c.name == "delete":
		return deleteService(ctx, a, c.args[0], service, yes, asJSON)
	case c.name == "copy":
		return copyStore(ctx, a, c.args[0], c.args[1])
	case c.name == "create" && !remote:
		return c.usage("invalid address of ClickHouse %q: use clickhouse://localhost:8123/hone (hone serve creates a store in its data directory automatically)", c.args[0])
	case c.name == "create":
		return createStore(ctx, a, c.args[0])
	case c.name == "stats" && remote:
		return remoteStats(ctx, a, c.args[0], asJSON)
	case remote:
		return c.usage("hone store %s needs a store in a directory: for ClickHouse, use its own tools (see doc/cluster.md)", c.name)
	}
	dir, err := storeDir(c.args[0])
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
		if err := st.Backup(ctx, c.args[1]); err != nil {
			return err
		}
		_, err := fmt.Fprintf(a.stdout, "Copied %s to %s.\n", dir, c.args[1])
		return err
	}
	return storeStats(ctx, a, st, asJSON)
}

// storesOf has the stores that each command takes, as the help writes them.
var storesOf = map[string]struct {
	form  string
	count int
	means string
}{
	"stats":  {"DIR|URL", 1, aDataDirectory + " or the address of a ClickHouse store"},
	"verify": {"DIR", 1, aDataDirectory},
	"repair": {"DIR", 1, aDataDirectory},
	"backup": {"DIR TO", 2, aDataDirectory + " and a new directory, or only -server URL for a running server"},
	"create": {"URL", 1, "clickhouse://HOST:8123/DATABASE"},
	"copy":   {"FROM TO", 2, "data directories of hone serve or addresses of ClickHouse stores"},
	"delete": {"DIR|URL", 1, aDataDirectory + ", the address of a ClickHouse store, or only -server URL for a running server"},
}

const aDataDirectory = "the data directory of hone serve"

// needStores returns an error unless a command has as many stores as it takes.
func needStores(c *command) error {
	want := storesOf[c.name]
	flags := ""
	if c.name == "delete" {
		flags = "-service NAME "
	}
	use := fmt.Sprintf("use hone store %s %s%s: %s", c.name, flags, want.form, want.means)
	switch {
	case len(c.args) > want.count:
		return c.usage("unexpected argument %q: %s", c.args[want.count], use)
	case len(c.args) == want.count:
		return nil
	case len(c.args) > 0:
		return c.usage("missing target: %s", use)
	}
	return c.usage("missing store: %s", use)
}

// storeStats prints figures of a store, and of each service in it, the largest first.
func storeStats(ctx context.Context, a *app, st *disk.Store, asJSON bool) error {
	stats := st.Stats()
	services, err := st.Services(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		figures := daemon.StoreFigures(stats)
		figures["services"] = services
		return writeJSON(a.stdout, figures)
	}
	bytes := func(n int64) string { return benchunit.Scale(float64(n), benchunit.Binary) + "B" }
	fmt.Fprintf(a.stdout, "profiles     %d\non disk      %s\nnot packed   %s\n", stats.Profiles, bytes(stats.DiskBytes), compare.Counted(int(stats.Fresh), "profile"))
	if n := len(stats.Aside); n > 0 {
		fmt.Fprintf(a.stdout, "set aside    %s of one service and week: hone store repair brings back what can be read\n", compare.Counted(n, "set"))
	}
	if n := len(stats.Damaged); n > 0 {
		fmt.Fprintf(a.stdout, "damaged      %s: hone store verify says what is wrong\n", compare.Counted(n, "file"))
	}
	if len(services) == 0 {
		return nil
	}
	fmt.Fprintln(a.stdout)
	slices.SortStableFunc(services, func(s, t disk.ServiceStats) int { return cmp.Compare(t.DiskBytes, s.DiskBytes) })
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "profiles\tsample data\ton disk, about\t  service")
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
		return fmt.Errorf("%s has %s: %v; hone store repair moves what can be read to a new store", dir, compare.Counted(problems, "fault"), found)
	}
	_, err = fmt.Fprintf(a.stdout, "%s is undamaged: %s.\n", dir, compare.Counted(int(found.Profiles), "profile"))
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
