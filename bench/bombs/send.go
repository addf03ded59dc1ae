//go:build linux

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// send sends a push and returns what kind of answer came.
func (p push) send(url string, body []byte, i int) (kind, text string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var reader io.Reader = bytes.NewReader(body)
	if p.more != nil {
		reader = io.MultiReader(reader, bytes.NewReader(p.more()))
	}
	// Profiles of other times are other profiles.
	path := strings.ReplaceAll(p.path, "TIME", strconv.FormatInt(cmp.Or(p.at, time.Now().Unix()-int64(i)), 10))
	r, err := http.NewRequestWithContext(ctx, "POST", url+path, reader)
	if err != nil {
		return "other", err.Error()
	}
	r.Header.Set("Content-Type", p.kind)
	switch {
	case p.rpc:
		r.Header.Set("Grpc-Encoding", p.encoding)
		r.Header.Set("Te", "trailers")
	case p.encoding != "":
		r.Header.Set("Content-Encoding", p.encoding)
	}
	// A connection for each, as different senders have.
	transport := &http.Transport{Protocols: new(http.Protocols)}
	defer transport.CloseIdleConnections()
	transport.Protocols.SetUnencryptedHTTP2(p.rpc)
	transport.Protocols.SetHTTP1(!p.rpc)
	resp, err := transport.RoundTrip(r)
	if err != nil {
		if errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
			return "413", "closed while the body was being sent"
		}
		return "other", err.Error()
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	header := func(name string) string { return resp.Header.Get(name) + resp.Trailer.Get(name) }
	status := header("Grpc-Status")
	text = fmt.Sprintf("%s %s %s %.300s", resp.Status, status, header("Grpc-Message"), answer)
	switch {
	case resp.StatusCode < 300 && (status == "" || status == "0"):
		return "ok", ""
	case resp.StatusCode == 413, resp.StatusCode == 429, status == "8":
		return "413", text
	case resp.StatusCode == 503, status == "14":
		return "503", text
	}
	return "other", text
}
