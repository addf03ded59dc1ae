package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/perf/benchunit"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/clickhouse"
)

// createStore creates the tables of a store.
func createStore(ctx context.Context, a *app, address string) error {
	c, err := clickhouse.ParseURL(address)
	if err != nil {
		return err
	}
	if err := clickhouse.Create(ctx, c); err != nil {
		return err
	}
	on := strings.Join(c.Addresses, ", ")
	if c.Cluster != "" {
		on = "all servers of the cluster " + c.Cluster
	}
	_, err = fmt.Fprintf(a.stdout, "Database %s on %s now has hone's tables.\n", c.Database, on)
	return err
}

// copyStore copies a store to another.
func copyStore(ctx context.Context, a *app, from, to string) (err error) {
	source, err := openStore(ctx, from, false)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := openStore(ctx, to, true)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := target.Close(); err == nil {
			err = cerr
		}
	}()
	progress := newProgress(a)
	var shown time.Time
	done, err := store.Copy(ctx, target, source, func(c store.Copied) {
		if time.Since(shown) > 100*time.Millisecond {
			shown = time.Now()
			progress.show(copyLine(c))
		}
	})
	progress.end()
	if err != nil {
		return fmt.Errorf("copied %d of %s: %w", done.Done, compare.Counted(int(done.Profiles), "profile"), err)
	}
	_, err = fmt.Fprintf(a.stdout, "Both stores have %s, %d of them new in the second, with the same times, labels, durations and totals.\n",
		compare.Counted(int(done.Checked), "profile"), done.New)
	return err
}

// copyLine is "copy  12 of 60 profiles".
func copyLine(c store.Copied) string {
	if c.Checked > 0 {
		return fmt.Sprintf("compare  %d of %d profiles", c.Checked, c.Profiles)
	}
	return fmt.Sprintf("copy  %d of %d profiles", c.Done, c.Profiles)
}

// remoteStats prints figures of a store in ClickHouse.
func remoteStats(ctx context.Context, a *app, address string, asJSON bool) error {
	c, err := clickhouse.ParseURL(address)
	if err != nil {
		return err
	}
	st, err := clickhouse.Open(ctx, c)
	if err != nil {
		return err
	}
	defer st.Close()
	sizes, err := st.Sizes(ctx)
	if err != nil {
		return err
	}
	type size struct {
		Name  string `json:"name"`
		Rows  int64  `json:"rows"`
		Bytes int64  `json:"diskBytes"`
	}
	tables := make([]size, len(sizes.Tables))
	for i, t := range sizes.Tables {
		tables[i] = size{t.Name, t.Rows, t.Bytes}
	}
	if asJSON {
		return writeJSON(a.stdout, map[string]any{"profiles": sizes.Profiles, "services": sizes.Services, "tables": tables})
	}
	fmt.Fprintf(a.stdout, "%-12s %d\n\n", "profiles", sizes.Profiles)
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "rows\ton disk\t  table, with all replicas")
	for _, t := range tables {
		fmt.Fprintf(w, "%d\t%sB\t  %s\n", t.Rows, benchunit.Scale(float64(t.Bytes), benchunit.Binary), t.Name)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout)
	fmt.Fprintln(w, "profiles\t  service")
	for _, name := range slices.Sorted(maps.Keys(sizes.Services)) {
		fmt.Fprintf(w, "%d\t  %s\n", sizes.Services[name], compare.Printable(name))
	}
	return w.Flush()
}
