package parca

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/ingest/parca/parcapb"
	"github.com/hone-go/hone/internal/store/storetest"
)

// One series that can't be read is refused, counted and named; the others of the
// request are kept.
func TestOneBadSeries(t *testing.T) {
	hub := ingest.New(ingest.Config{Store: storetest.NewModel()})
	server, h2c := ingesttest.Serve(t, hub, Mount), ingesttest.H2C(t)
	cpu := ingesttest.Profile(t, "cpu.labels.pb.gz")
	kept := int64(0)
	for name, bad := range map[string]*parcapb.WriteRawRequest{
		"no kind": request(cpu, "job", "a"), "a label twice": request(cpu, "__name__", "process_cpu", "job", "a", "job", "b"),
		"cut off": request(cpu[:len(cpu)/2], "__name__", "process_cpu", "job", "c"),
	} {
		req := request(cpu, "__name__", "process_cpu", "job", name)
		req.Series = slices.Concat(bad.GetSeries(), req.GetSeries())
		before := hub.Stats().Protocols
		client := connect.NewClient[parcapb.WriteRawRequest, parcapb.WriteRawResponse](h2c, server.URL+service+"WriteRaw", connect.WithGRPC())
		_, err := client.CallUnary(t.Context(), connect.NewRequest(req))
		if connect.CodeOf(err) != connect.CodeInvalidArgument || !strings.Contains(err.Error(), "profile 1 of 2") {
			t.Errorf("%s: %v", name, err)
		}
		kept++
		after := hub.Stats().Protocols
		if len(after) != 1 || after[0].Profiles != kept || after[0].Refused[ingest.Malformed] != kept || after[0].Bytes != kept*int64(len(cpu)) {
			t.Errorf("%s: counted %+v, before %+v", name, after, before)
		}
		body, err := proto.Marshal(req)
		if err != nil {
			t.Fatal(err)
		}
		if resp, text := post(t, server.URL+service+"WriteRaw", "application/proto", body, ""); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: again: %s %s", name, resp.Status, text)
		}
		kept++
	}
}

// A stack that doesn't come costs the samples that have it.
func TestOneBadSample(t *testing.T) {
	samples, stacks := recorded(t, "v1.samples"), recorded(t, "v1.stacks")
	whole := newConverter(ingest.Limits{}, nil)
	all, err := convert(whole, samples, stacks)
	if err != nil {
		t.Fatal(err)
	}
	id := whole.missing[0]
	other := append(slices.Clone(id[:len(id)-1]), id[len(id)-1]^1)
	if bytes.Count(stacks, id) != 1 {
		t.Fatalf("the id %x is %d times in the record", id, bytes.Count(stacks, id))
	}
	recv := &ingesttest.Recorder{}
	server := ingesttest.Serve(t, recv, Mount)
	_, err = write(t, server.URL, samples, bytes.Replace(stacks, id, other, 1))
	if connect.CodeOf(err) != connect.CodeInvalidArgument || !strings.Contains(err.Error(), "samples are invalid and left out") {
		t.Errorf("got %v", err)
	}
	values := func(p ingest.Push) (sum int64) {
		for _, v := range p.Profile.Values[0] {
			sum += v
		}
		return sum
	}
	want, got, sent := int64(0), int64(0), int64(0)
	for _, p := range all {
		want += values(p)
	}
	for _, p := range recv.Pushes() {
		got += values(p.Push)
		sent += p.Sent
	}
	if got == 0 || got >= want {
		t.Errorf("%d of %d samples are kept", got, want)
	}
	if most := int64(len(samples) + len(stacks)); sent != most {
		t.Errorf("the profiles came in %d bytes, %d were sent", sent, most)
	}
}
