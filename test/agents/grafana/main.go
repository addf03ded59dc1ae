// Command grafana asks a server what Grafana's Pyroscope data source, its Profiles
// Drilldown app and profilecli ask, with the clients that Pyroscope generates for them,
// in their order and encodings. It prints one line of JSON per call:
//
//	{"call": "labelNames", "code": "", "found": ["a", "b"]}
//
// code is the code of Connect's error, and found what the caller would show. The clients' own
// programs can't be imported: their modules aren't published.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"connectrpc.com/connect"
	"github.com/grafana/pyroscope/api/gen/proto/go/capabilities/v1/capabilitiesv1connect"
	"github.com/grafana/pyroscope/api/gen/proto/go/querier/v1/querierv1connect"
	"github.com/grafana/pyroscope/api/gen/proto/go/settings/v1/settingsv1connect"
	"github.com/grafana/pyroscope/api/gen/proto/go/vcs/v1/vcsv1connect"
)

func main() {
	addr := flag.String("addr", "", "`URL` of the server")
	from := flag.Int64("from", 0, "start of the time range, in `ms` since 1970")
	to := flag.Int64("to", 0, "its end")
	protocol := flag.String("protocol", "connect", "`protocol`: connect, grpc or grpc-web")
	flag.Parse()

	var options []connect.ClientOption
	switch *protocol {
	case "grpc":
		options = append(options, connect.WithGRPC())
	case "grpc-web":
		options = append(options, connect.WithGRPCWeb())
	}
	client := &http.Client{Transport: &http.Transport{Protocols: protocols(*protocol)}}
	c := &caller{
		ctx: context.Background(), url: *addr, client: client, from: *from, to: *to, out: json.NewEncoder(os.Stdout),
		querier:  querierv1connect.NewQuerierServiceClient(client, *addr, options...),
		flags:    capabilitiesv1connect.NewFeatureFlagsServiceClient(client, *addr, options...),
		settings: settingsv1connect.NewSettingsServiceClient(client, *addr, options...),
		rules:    settingsv1connect.NewRecordingRulesServiceClient(client, *addr, options...),
		vcs:      vcsv1connect.NewVCSServiceClient(client, *addr, options...),
	}
	c.dataSource()
	c.drilldown()
	c.profilecli()
	_, _ = io.Copy(io.Discard, os.Stdin) // whoever started it ends it
}

// protocols returns the protocols below RPCs: gRPC needs HTTP/2.
func protocols(rpc string) *http.Protocols {
	p := new(http.Protocols)
	if rpc == "grpc" {
		p.SetUnencryptedHTTP2(true)
	} else {
		p.SetHTTP1(true)
	}
	return p
}

// A caller calls one server and reports what it answers.
type caller struct {
	ctx      context.Context
	url      string
	client   *http.Client
	from, to int64
	out      *json.Encoder

	querier  querierv1connect.QuerierServiceClient
	flags    capabilitiesv1connect.FeatureFlagsServiceClient
	settings settingsv1connect.SettingsServiceClient
	rules    settingsv1connect.RecordingRulesServiceClient
	vcs      vcsv1connect.VCSServiceClient
}

// report prints the answer to a call.
func (c *caller) report(call string, err error, found ...string) {
	code := ""
	if err != nil {
		code, found = connect.CodeOf(err).String(), []string{err.Error()}
	}
	if e := c.out.Encode(map[string]any{"call": call, "code": code, "found": found}); e != nil {
		fmt.Fprintln(os.Stderr, e)
		os.Exit(1)
	}
}

// get reads a page.
func (c *caller) get(path string, query url.Values) (string, error) {
	resp, err := c.client.Get(c.url + path + "?" + query.Encode())
	if err != nil {
		return "", err
	}
	return textOf(resp)
}

// postJSON calls a procedure as a page does.
func (c *caller) postJSON(procedure, body string) (string, error) {
	resp, err := c.client.Post(c.url+procedure, "application/json", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	return textOf(resp)
}

func textOf(resp *http.Response) (string, error) {
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, text)
	}
	return string(text), err
}

// A bar is one of a flame graph.
type bar struct {
	start, end int64
	path       string
}

// stacksOf reads a flame graph as the data source does, bar by bar, each below the bar of the
// level above that it lies in. It returns "path value" for each stack that ends in itself.
func stacksOf(names []string, levels [][]int64) (out []string, err error) {
	var above []bar
	for depth, level := range levels {
		var bars []bar
		end, parent := int64(0), 0
		for i := 0; i+3 < len(level); i += 4 {
			b := bar{start: end + level[i]}
			b.end = b.start + level[i+1]
			end = b.end
			if depth > 0 {
				for parent < len(above) && (b.start < above[parent].start || b.end > above[parent].end) {
					parent++
				}
				if parent == len(above) {
					return nil, fmt.Errorf("level %d: no bar above %d to %d", depth, b.start, b.end)
				}
				b.path = above[parent].path + ";" + names[level[i+3]]
			}
			if level[i+2] != 0 {
				out = append(out, fmt.Sprint(b.path, " ", level[i+2]))
			}
			bars = append(bars, b)
		}
		above = bars
	}
	slices.Sort(out)
	return out, nil
}
