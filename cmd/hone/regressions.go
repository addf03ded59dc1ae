package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/regress"
	"github.com/hone-go/hone/internal/shell"
	"github.com/hone-go/hone/internal/store"
)

const regressionsHelp = `usage: hone regressions [flags] [STORE]

List functions that cost more in production than before. hone serve looks for them
after each new version, and for drifts without one.

Examples:

  hone regressions
  hone regressions -service shop -version v1.2.0 -fail
  hone regressions -ack 3f2a90c1d4e5b607 -reason 'expected: more discounts'
  hone regressions -notify-test
  hone regressions /var/lib/hone

With STORE, a data directory of hone serve or clickhouse://…, hone looks for them
now, in the last day of its profiles. No server may use the directory.

Flags:

  -service NAME   only this service
  -version NAME   only regressions that began with this version
  -all            also acknowledged and resolved ones
  -fail           exit with 3 if any open one is listed
  -ack ID         acknowledge one: it is then listed only with -all
  -reason TEXT    with -ack: why, for others to read
  -notify-test    send a test to all targets of notifications of the server, and print
                  what each answers; needs a token of an admin
  -json           print JSON
  -from DURATION  with STORE: how much of its end to look at (24h)
` + serverHelp + `  -tls_ca FILE, -tls_cert FILE, -tls_key FILE
                  certificates for the server

Exit codes: 0 success, 1 failure, 2 wrong usage, 3 regression found (with -fail).

Costs are per second of an instance, at the load after the change. NEW lists functions
below the function that had no cost before. With *, a cost includes what it calls.
`

// regressionsFlags are the flags of hone regressions.
type regressionsFlags struct {
	serverFlags
	service, version, ack string
	reason                string
	all, fail, json       bool
	notifyTest            bool
	from                  time.Duration
}

func runRegressions(ctx context.Context, a *app, args []string) error {
	fs := newFlags("regressions")
	var f regressionsFlags
	fetcher := &capture.Fetcher{}
	f.define(fs)
	tlsFlags(fs, fetcher)
	fs.StringVar(&f.service, "service", "", "")
	fs.StringVar(&f.version, "version", "", "")
	fs.StringVar(&f.ack, "ack", "", "")
	fs.StringVar(&f.reason, "reason", "", "")
	fs.BoolVar(&f.all, "all", false, "")
	fs.BoolVar(&f.fail, "fail", false, "")
	fs.BoolVar(&f.json, "json", false, "")
	fs.BoolVar(&f.notifyTest, "notify-test", false, "")
	fs.DurationVar(&f.from, "from", 24*time.Hour, "")
	rest, err := parseArgs(fs, args)
	if err != nil {
		return err
	}
	if err := f.check(rest); err != nil {
		return &shell.UsageError{Verb: "regressions", Err: err}
	}
	if f.notifyTest {
		return f.testNotifications(ctx, a, fetcher)
	}
	var list api.Regressions
	if len(rest) == 1 {
		list, err = scanStore(ctx, rest[0], f.from)
	} else {
		list, err = f.ask(ctx, a, fetcher)
	}
	if err != nil {
		return err
	}
	list.Regressions = slices.DeleteFunc(list.Regressions, func(r api.Regression) bool { return !f.shows(&r) })
	if err := f.print(a, list); err != nil {
		return err
	}
	if f.fail && slices.ContainsFunc(list.Regressions, func(r api.Regression) bool { return r.State == regress.Open }) {
		return errMissed
	}
	return nil
}

// check returns an error if flags or arguments are wrong.
func (f *regressionsFlags) check(rest []string) error {
	switch {
	case len(rest) > 1:
		return fmt.Errorf("unexpected argument %q: name one store", rest[1])
	case len(rest) == 1 && f.ack != "":
		return errors.New("-ack is for a server: leave out the store")
	case f.ack != "" && (f.all || f.fail || f.service != "" || f.version != ""):
		return errors.New("-ack names one regression: leave out -all, -fail, -service and -version")
	case f.notifyTest && (len(rest) == 1 || f.ack != "" || f.all || f.fail || f.service != "" || f.version != ""):
		return errors.New("-notify-test only sends a test: leave out the store and flags that list or acknowledge regressions")
	case f.reason != "" && f.ack == "":
		return errors.New("-reason is why you acknowledge: add -ack ID")
	case f.from < time.Hour:
		return fmt.Errorf("invalid -from %s: use at least 1h", f.from)
	}
	return nil
}

// shows reports whether a regression is listed.
func (f *regressionsFlags) shows(r *api.Regression) bool {
	return (f.service == "" || f.service == r.Service) && (f.version == "" || f.version == r.Version) && (f.all || f.ack != "" || r.State == regress.Open)
}

// ask asks a server for its regressions, or to acknowledge one.
func (f *regressionsFlags) ask(ctx context.Context, a *app, fetcher *capture.Fetcher) (list api.Regressions, err error) {
	client, err := f.client(ctx, a, "regressions", fetcher)
	if err != nil {
		return list, err
	}
	if f.ack == "" {
		query := url.Values{}
		if f.service != "" {
			query.Set("service", f.service)
		}
		err = client.json(ctx, "/api/v1/regressions", query, &list)
		return list, err
	}
	body, err := json.Marshal(map[string]string{"reason": f.reason})
	if err != nil {
		return list, err
	}
	resp, err := client.do(ctx, http.MethodPost, "/api/v1/regressions/"+url.PathEscape(f.ack)+"/acknowledge", nil, body)
	if err != nil {
		return list, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return list, client.failure(resp)
	}
	list.Regressions = make([]api.Regression, 1)
	return list, json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&list.Regressions[0])
}

// scanStore looks for regressions at the end of a store.
func scanStore(ctx context.Context, where string, length time.Duration) (list api.Regressions, err error) {
	st, err := openStore(ctx, where, false)
	if err != nil {
		return list, err
	}
	defer st.Close()
	all, err := st.Series(ctx, store.Query{Step: math.MaxInt64 / 2})
	if err != nil {
		return list, err
	}
	last := int64(0)
	for _, s := range all {
		for _, p := range s.Points {
			last = max(last, p.Last)
		}
	}
	if last == 0 {
		return api.NewRegressions(nil), nil
	}
	found, err := regress.Scan(ctx, st, last-int64(length), last)
	return api.NewRegressions(found), err
}

// print prints regressions.
func (f *regressionsFlags) print(a *app, list api.Regressions) error {
	if f.json {
		return writeJSON(a.stdout, list)
	}
	if len(list.Regressions) == 0 {
		_, err := fmt.Fprintln(a.stdout, "No regressions.")
		return err
	}
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tSTATE\tSINCE\tSERVICE\tVERSION\tKIND\tFUNCTION\tGROWTH\tCOST\tINSTANCES\tNEW")
	for i := range list.Regressions {
		r := &list.Regressions[i]
		name := compare.Printable(r.Function)
		if r.Callees {
			name += "*"
		}
		growth := "new"
		if r.Growth != 0 {
			growth = fmt.Sprintf("%+.1f%% (%+.1f%% to %+.1f%%)", 100*r.Growth, 100*r.Low, 100*r.High)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s to %s\t%d of %d\t%s\n", compare.Printable(r.ID), compare.Printable(r.State), time.UnixMilli(r.Since).Local().Format("2006-01-02 15:04"),
			compare.Printable(r.Service), compare.Printable(cmp.Or(r.Version, "-")), compare.Printable(r.Kind), name, growth,
			r.Cost(r.Before), r.Cost(r.After), r.Affected, r.Instances, compare.Printable(strings.Join(r.New, ", ")))
	}
	w.Flush()
	return writeTrimmed(a.stdout, b.String())
}
