package otlp

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store/storetest"
)

// Many requests of a few bytes that stand for tables of millions of entries take little
// memory, all together, whatever the table.
func TestBombs(t *testing.T) {
	memory := ingest.NewMemory(1 << 30)
	hub := ingest.New(ingest.Config{Store: storetest.NewModel(), Memory: memory})
	mux := http.NewServeMux()
	Mount(mux, hub)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		share := memory.Push(r.Context(), 0)
		defer share.Close()
		r.Body = http.MaxBytesReader(w, r.Body, 1<<30)
		mux.ServeHTTP(w, r.WithContext(ingest.WithShare(r.Context(), share)))
	}))
	defer server.Close()
	var senders sync.WaitGroup
	for table := range 16 {
		dictionary := []byte{5<<3 | 2, 0} // the first string
		field := protowire.Number(table%7 + 1)
		dictionary = append(dictionary, bytes.Repeat(protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), nil), 16<<20)...)
		body := ingesttest.Gzip(protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), dictionary))
		senders.Go(func() {
			if resp, text := post(t, server.URL+"/v1development/profiles", "application/x-protobuf", body, "gzip"); resp.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("table %d: %s %q", field, resp.Status, text)
			}
		})
		// Those that are not compressed are as large as what is made of them lets them be.
		plain := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), dictionary[:16<<20])
		senders.Go(func() {
			resp, text := post(t, server.URL+"/v1development/profiles", "application/x-protobuf", plain, "")
			if resp.StatusCode != http.StatusRequestEntityTooLarge && resp.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("table %d, not compressed: %s %q", field, resp.Status, text)
			}
		})
	}
	senders.Wait()
	if peak := memory.Peak(); peak > 600<<20 {
		t.Errorf("the requests took %d bytes", peak)
	}
	if used := memory.Used(); used != 0 {
		t.Errorf("%d bytes are still taken", used)
	}
}

// What a request's tables take is free again when its profiles are made: storing those
// takes much.
func TestTablesGivenBack(t *testing.T) {
	share := ingest.NewMemory(0).Push(t.Context(), 0)
	defer share.Close()
	dictionary := []byte{5<<3 | 2, 0} // the first string
	for i := range 100_000 {
		dictionary = protowire.AppendString(protowire.AppendTag(dictionary, 5, protowire.BytesType), fmt.Sprint(i))
	}
	profile := []byte{1<<3 | 2, 2, 1 << 3, 1, 2<<3 | 2, 3, 4<<3 | 2, 1, 1} // a sample type, and a sample
	scope := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), profile)
	resource := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), scope)
	data := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), dictionary)
	data = protowire.AppendBytes(protowire.AppendTag(data, 1, protowire.BytesType), resource)
	pushes, rejected, err := convert(&request{data: data, share: share}, ingest.Limits{})
	if err != nil || rejected != nil || len(pushes) != 1 {
		t.Fatalf("%d profiles, %v, %v", len(pushes), rejected, err)
	}
	if share.Used() > 64<<10 {
		t.Errorf("a profile of one sample takes %d bytes", share.Used())
	}
}
