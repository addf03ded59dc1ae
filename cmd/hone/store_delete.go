package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/disk"
)

// deleteService deletes the profiles of a service from ClickHouse, or from a store that no
// server has open. Without yes, it only counts them.
func deleteService(ctx context.Context, a *app, where, service string, yes, asJSON bool) error {
	st, err := openDeleter(ctx, where)
	if err != nil {
		return err
	}
	defer st.Close()
	profiles, err := st.DeleteService(ctx, service, !yes)
	if err != nil {
		return err
	}
	if profiles == 0 {
		return fmt.Errorf("no profiles of service %q in %s: hone store stats lists the services", service, where)
	}
	return tellDeleted(a, api.DeletedService{Service: service, Profiles: profiles, Deleted: yes}, asJSON)
}

// openDeleter opens a store to delete a service, without changing anything else.
func openDeleter(ctx context.Context, where string) (interface {
	store.Store
	store.Deleter
}, error) {
	if isRemote(where) {
		return openRemote(ctx, where)
	}
	dir, err := storeDir(where)
	if err != nil {
		return nil, err
	}
	return disk.OpenContext(ctx, dir, disk.Options{PackAfter: -1, Log: slog.New(slog.DiscardHandler)})
}

// deleteServiceAt asks a running server to delete the profiles of a service.
func deleteServiceAt(ctx context.Context, a *app, f *serverFlags, fetcher *capture.Fetcher, service string, yes, asJSON bool) error {
	c, err := f.client(ctx, a, "store", fetcher)
	if err != nil {
		return err
	}
	query := url.Values{"service": {service}, "dry_run": {strconv.FormatBool(!yes)}}
	resp, err := c.do(ctx, http.MethodDelete, "/api/v1/services", query, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return c.failure(resp)
	}
	var done api.DeletedService
	data, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err := json.Unmarshal(data, &done); err != nil {
		return c.notHone(resp, data)
	}
	return tellDeleted(a, done, asJSON)
}

func tellDeleted(a *app, done api.DeletedService, asJSON bool) error {
	if asJSON {
		return writeJSON(a.stdout, done)
	}
	text := "Deleted %s of service %s.\n"
	if !done.Deleted {
		text = "This would delete %s of service %s. Add -yes to delete them.\n"
	}
	_, err := fmt.Fprintf(a.stdout, text, compare.Counted(int(done.Profiles), "profile"), compare.Printable(done.Service))
	return err
}
