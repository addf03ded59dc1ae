package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/store/disk"
)

const storeHelp = `usage: hone store stats DIR
       hone store verify DIR
       hone store repair DIR
       hone store backup DIR TO
       hone store backup -server URL [-name NAME]

Look after the profiles that hone serve keeps. DIR is its data directory, or the
store in it; the server must not be running, but for the last form.

  stats           print figures: profiles, bytes, services
  verify          read everything and report what is damaged; changes nothing.
                  Exit code 1 if there is something
  repair          write what can be read to a new store, which takes the place of
                  the old one; that one is kept beside it
  backup          copy the store to the directory TO, which must not exist; hone
                  serve -data can be given one with the copy in it, as store

A running server copies its store itself, to backups/NAME in its data directory:

` + serverHelp + `  -name NAME      what the copy is called; the time by default
  -json           print as JSON

Examples:

  hone store verify /srv/hone
  hone store backup /srv/hone /backup/hone/store
  hone store backup -server https://hone.example.com -name before-upgrade
`

func runStore(ctx context.Context, a *app, args []string) error {
	usage := func(format string, args ...any) error {
		return &shell.UsageError{Verb: "store", Err: fmt.Errorf(format, args...)}
	}
	if len(args) == 0 {
		return usage("stats, verify, repair or backup is missing")
	}
	command := args[0]
	if command == "-h" || command == "-help" || command == "--help" {
		return flag.ErrHelp
	}
	fs := flag.NewFlagSet("store", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	var f serverFlags
	var name string
	var asJSON bool
	fs.StringVar(&f.server, "server", "", "")
	fs.StringVar(&f.tokenFile, "token_file", "", "")
	fs.StringVar(&name, "name", "", "")
	fs.BoolVar(&asJSON, "json", false, "")
	if err := fs.Parse(args[1:]); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return usage("%w", err)
	}
	if command == "backup" && f.server != "" {
		if fs.NArg() > 0 {
			return usage("a running server chooses the place of a backup: -name NAME names it")
		}
		return a.backupServer(ctx, &f, name)
	}
	wanted := map[string]int{"stats": 1, "verify": 1, "repair": 1, "backup": 2}
	n, ok := wanted[command]
	if !ok {
		return usage("unknown command %q: it is stats, verify, repair or backup", command)
	}
	if fs.NArg() != n {
		return usage("hone store %s takes %d directories, not %d", command, n, fs.NArg())
	}
	dir, err := storeDir(fs.Arg(0))
	if err != nil {
		return err
	}
	switch command {
	case "verify":
		return a.verifyStore(ctx, dir)
	case "repair":
		return a.repairStore(ctx, dir)
	}
	// Kept as it is: nothing is packed or dropped for being looked at.
	st, err := disk.Open(dir, disk.Options{PackAfter: -1, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer st.Close()
	if command == "backup" {
		if err := st.Backup(ctx, fs.Arg(1)); err != nil {
			return err
		}
		_, err := fmt.Fprintf(a.stdout, "Copied %s to %s.\n", dir, fs.Arg(1))
		return err
	}
	figures := storeFigures(st.Stats())
	if asJSON {
		return writeJSON(a.stdout, figures)
	}
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		fmt.Fprintf(a.stdout, "%-12s %v\n", name, figures[name])
	}
	return nil
}

// storeDir returns the store in a directory, which may be that of a server.
func storeDir(dir string) (string, error) {
	inner := filepath.Join(dir, "store")
	if info, err := os.Stat(inner); err == nil && info.IsDir() {
		return inner, nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is no directory", dir)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "MANIFEST-*")); err != nil || len(files) == 0 {
		return "", fmt.Errorf("%s has no store in it", dir)
	}
	return dir, nil
}

func (a *app) verifyStore(ctx context.Context, dir string) error {
	problems := 0
	err := disk.Verify(ctx, dir, nil, func(problem string) {
		problems++
		fmt.Fprintln(a.stdout, problem)
	})
	if err != nil {
		return err
	}
	if problems > 0 {
		return fmt.Errorf("%s has %d faults: hone store repair makes a new store of what can be read", dir, problems)
	}
	_, err = fmt.Fprintf(a.stdout, "%s is good.\n", dir)
	return err
}

func (a *app) repairStore(ctx context.Context, dir string) error {
	done, err := disk.Repair(ctx, dir, disk.Options{}, func(problem string) { fmt.Fprintln(a.stdout, problem) })
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "%s has the %d profiles that can be read; %d are lost. The old store is %s.\n", dir, done.Kept, done.Lost, done.Old)
	return err
}

// backupServer has a running server copy its store.
func (a *app) backupServer(ctx context.Context, f *serverFlags, name string) error {
	c, err := f.client(a, "store", &capture.Fetcher{})
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
	if err := json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&made); err != nil {
		return fmt.Errorf("%s answered something else than hone serve would: %w", c.base, err)
	}
	_, err = fmt.Fprintf(a.stdout, "The server copied its store to backups/%s in its data directory.\n", made.Name)
	return err
}
