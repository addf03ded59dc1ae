package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"text/tabwriter"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/capture"
	"github.com/hone-go/hone/internal/compare"
)

// testNotifications has a server send test notifications, and prints what came back. It is an
// error if one failed.
func (f *regressionsFlags) testNotifications(ctx context.Context, a *app, fetcher *capture.Fetcher) error {
	client, err := f.client(ctx, a, "regressions", fetcher)
	if err != nil {
		return err
	}
	resp, err := client.do(ctx, http.MethodPost, "/api/v1/notifications/test", nil, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return client.failure(resp)
	}
	var out api.NotificationTests
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&out); err != nil {
		return err
	}
	if f.json {
		err = writeJSON(a.stdout, out)
	} else {
		err = printTests(a.stdout, out.Tests)
	}
	failed := 0
	for _, t := range out.Tests {
		if t.Error != "" {
			failed++
		}
	}
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d test notifications failed", failed, len(out.Tests))
	}
	return err
}

func printTests(out io.Writer, tests []api.NotificationTest) error {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TARGET\tFORMAT\tRESULT\tTIME\tANSWER")
	for _, t := range tests {
		result, said := "sent", fmt.Sprintf("%d %s %s", t.Status, http.StatusText(t.Status), t.Answer)
		if t.Error != "" {
			result, said = "failed", t.Error
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d ms\t%s\n", compare.Printable(t.Name), compare.Printable(t.Format), result, t.Took, compare.Printable(said))
	}
	return errors.Join(w.Flush(), writeTrimmed(out, b.String()))
}
