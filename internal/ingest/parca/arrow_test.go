package parca

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/ingest/parca/arrow"
	"github.com/hone-go/hone/internal/ingest/parca/parcapb"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
)

// recorded returns what a real agent, that of TestRealAgent, has sent.
func recorded(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".arrow")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// writeArrow sends a record of the second schema.
func writeArrow(t *testing.T, url string, data []byte, options ...connect.ClientOption) error {
	client := connect.NewClient[parcapb.WriteArrowRequest, parcapb.WriteArrowResponse](ingesttest.H2C(t), url+service+"WriteArrow", options...)
	_, err := client.CallUnary(t.Context(), connect.NewRequest(&parcapb.WriteArrowRequest{IpcBuffer: data}))
	return err
}

// write sends samples of the first schema, and then stacks if those are asked for.
func write(t *testing.T, url string, samples, stacks []byte) (asked []byte, err error) {
	client := connect.NewClient[parcapb.WriteRequest, parcapb.WriteResponse](ingesttest.H2C(t), url+service+"Write", connect.WithGRPC())
	stream := client.CallBidiStream(t.Context())
	defer stream.CloseResponse()
	_ = stream.Send(&parcapb.WriteRequest{Record: samples}) // the answer tells what is wrong
	res, err := stream.Receive()
	if err != nil {
		stream.CloseRequest()
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return nil, err
	}
	if stacks != nil {
		_ = stream.Send(&parcapb.WriteRequest{Record: stacks})
	}
	stream.CloseRequest()
	if _, err := stream.Receive(); !errors.Is(err, io.EOF) {
		return res.GetRecord(), err
	}
	return res.GetRecord(), nil
}

// TestArrow: both schemas become the same profiles, over every protocol.
func TestArrow(t *testing.T) {
	recv := &ingesttest.Recorder{}
	server := ingesttest.Serve(t, recv, Mount)
	check := func(name string, err error) {
		t.Helper()
		got := recv.Pushes()
		if err != nil || len(got) != 3 {
			t.Errorf("%s: %d pushes, %v", name, len(got), err)
			return
		}
		for i, want := range []struct {
			kind    string
			samples int64
			types   string
			length  time.Duration
		}{{"cpu", 400, "samples/count cpu/nanoseconds", 1995 * time.Millisecond}, {"offcpu", 55e6, "wallclock/nanoseconds", 1995 * time.Millisecond}, {"", 24, "inuse_objects/count inuse_space/bytes", 0}} {
			p := got[i]
			var types []string
			for _, st := range p.Decoded.SampleTypes {
				types = append(types, st.Type+"/"+st.Unit)
			}
			sum := int64(0)
			for _, v := range p.Decoded.Values[0] {
				sum += v
			}
			if p.Kind != want.kind || sum != want.samples || strings.Join(types, " ") != want.types || time.Duration(p.Duration) != want.length {
				t.Errorf("%s: kind %q, %d of %q in %v, want %+v", name, p.Kind, sum, types, time.Duration(p.Duration), want)
			}
			if at := time.Unix(0, p.Time).UTC().Format(time.DateOnly); at != "2026-11-22" {
				t.Errorf("%s: %s", name, at)
			}
			labels, _ := store.NewLabels(store.Label{Name: "service", Value: "shop"}, store.Label{Name: "instance", Value: "host-1"},
				store.Label{Name: "comm", Value: "parcaagent.exe"}, store.Label{Name: "node", Value: "node-1"})
			if !reflect.DeepEqual(p.Labels, labels) || p.Protocol != Protocol {
				t.Errorf("%s: %v, want %v", name, p.Labels, labels)
			}
		}
	}
	for name, option := range map[string]connect.ClientOption{"gRPC": connect.WithGRPC(), "gRPC-Web": connect.WithGRPCWeb(), "Connect": connect.WithClientOptions(), "JSON": connect.WithProtoJSON(), "gzip": connect.WithSendGzip()} {
		check(name, writeArrow(t, server.URL, recorded(t, "v2.samples"), option))
	}
	asked, err := write(t, server.URL, recorded(t, "v1.samples"), recorded(t, "v1.stacks"))
	check("stream", err)
	r, err := arrow.NewReader(asked, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if rec, err := r.Next(); err != nil || rec.Rows != 7 || rec.Columns[0].Name != "stacktrace_id" {
		t.Errorf("asked for %+v, %v; want the ids of 7 stacks", rec, err)
	}
	_, err = write(t, server.URL, recorded(t, "v2.samples"), nil)
	check("second schema in a stream", err)
	if asked, err := write(t, server.URL, nil, nil); err != nil || asked != nil {
		t.Errorf("an empty record: %v", err)
	}
}

// TestArrowTwice: what is sent again is known again.
func TestArrowTwice(t *testing.T) {
	st := storetest.NewModel()
	server := ingesttest.Serve(t, ingest.New(ingest.Config{Store: st}), Mount)
	for range 3 {
		if err := writeArrow(t, server.URL, recorded(t, "v2.samples")); err != nil {
			t.Fatal(err)
		}
	}
	groups, err := st.Merge(context.Background(), store.Query{By: []string{store.LabelKind}})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		if g.Profiles != 1 {
			t.Errorf("%v: %d profiles", g.Labels, g.Profiles)
		}
	}
}

func TestArrowRefused(t *testing.T) {
	recv := &ingesttest.Recorder{Lim: ingest.Limits{BodyBytes: 1 << 20, Pushes: 10}}
	server := ingesttest.Serve(t, recv, Mount)
	v2 := recorded(t, "v2.samples")
	other := bytes.Replace(v2, []byte("parca_write_schema_version"), []byte("parca_write_schema_versioN"), 1)
	for name, test := range map[string]struct {
		data []byte
		code connect.Code
		says string
	}{
		"no Arrow":        {[]byte("pprof"), connect.CodeInvalidArgument, "Arrow"},
		"cut":             {v2[:len(v2)/2], connect.CodeInvalidArgument, "ends early"},
		"other schema":    {other, connect.CodeInvalidArgument, "schema"},
		"first schema":    {recorded(t, "v1.samples"), connect.CodeInvalidArgument, "call Write"},
		"stacks alone":    {recorded(t, "v1.stacks"), connect.CodeInvalidArgument, "no column value"},
		"larger than all": {make([]byte, 2<<20), connect.CodeResourceExhausted, ""},
	} {
		if err := writeArrow(t, server.URL, test.data); connect.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %v with %q", name, err, test.code, test.says)
		}
	}
	for name, test := range map[string]struct {
		samples, stacks []byte
		says            string
	}{
		"no Arrow":                       {[]byte("pprof"), nil, "Arrow"},
		"no stacks":                      {recorded(t, "v1.samples"), nil, "without the stacks"},
		"an empty message":               {recorded(t, "v1.samples"), []byte{}, "empty"},
		"cut stacks":                     {recorded(t, "v1.samples"), recorded(t, "v1.stacks")[:3000], "ends early"},
		"samples again":                  {recorded(t, "v1.samples"), recorded(t, "v1.samples"), "sent 416 stacks, but was asked for 7"},
		"stacks that were not asked for": {recorded(t, "v1.samples"), arrow.AppendTexts(nil, "stacktrace_id", make([][]byte, 8)), "sent 8 stacks"},
		"other ids":                      {recorded(t, "v1.samples"), arrow.AppendTexts(nil, "stacktrace_id", nil), "no column locations"},
	} {
		if _, err := write(t, server.URL, test.samples, test.stacks); connect.CodeOf(err) != connect.CodeInvalidArgument || !strings.Contains(err.Error(), test.says) {
			t.Errorf("stream, %s: %v, want %q", name, err, test.says)
		}
	}
	if got := recv.Pushes(); len(got) != 0 {
		t.Errorf("%d pushes arrived", len(got))
	}
	recv.Lim.Pushes = 2
	if err := writeArrow(t, ingesttest.Serve(t, recv, Mount).URL, v2); connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("more profiles than a request may have: %v", err)
	}
	recv.Lim.Pushes = 10
	recv.Err = &ingest.Error{Reason: ingest.Unavailable, Err: errors.New("full")}
	if err := writeArrow(t, server.URL, v2); connect.CodeOf(err) != connect.CodeUnavailable {
		t.Errorf("unavailable: %v", err)
	}
	if _, err := write(t, server.URL, recorded(t, "v1.samples"), recorded(t, "v1.stacks")); connect.CodeOf(err) != connect.CodeUnavailable {
		t.Errorf("unavailable, stream: %v", err)
	}
}

func TestNoDebugInformation(t *testing.T) {
	server := ingesttest.Serve(t, &ingesttest.Recorder{}, Mount)
	client := connect.NewClient[parcapb.ShouldInitiateUploadRequest, parcapb.ShouldInitiateUploadResponse](ingesttest.H2C(t), server.URL+debuginfo+"ShouldInitiateUpload", connect.WithGRPC())
	res, err := client.CallUnary(t.Context(), connect.NewRequest(&parcapb.ShouldInitiateUploadRequest{BuildId: "cafe01"}))
	if err != nil || res.Msg.GetShouldInitiateUpload() || res.Msg.GetReason() == "" {
		t.Errorf("%v, %v", res, err)
	}
}

// convert makes profiles of what was sent in one of the schemas.
func convert(c *converter, samples, stacks []byte) ([]ingest.Push, error) {
	err := c.readSamples(samples)
	if err == nil && len(c.missing) > 0 {
		err = c.readStacks(stacks)
	}
	if err != nil {
		return nil, err
	}
	return c.pushes()
}

// TestArrowMemory: what profiles take is counted before it is there, and whatever
// the limit is, it is told.
func TestArrowMemory(t *testing.T) {
	for _, schema := range []string{"v1", "v2"} {
		samples, stacks := recorded(t, schema+".samples"), recorded(t, "v1.stacks")
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		c := newConverter(ingest.Limits{}, nil)
		pushes, err := convert(c, samples, stacks)
		if err != nil {
			t.Fatal(err)
		}
		all, sent := c.built, c.sent
		c = nil
		runtime.GC()
		runtime.GC() // what is pooled, too
		runtime.ReadMemStats(&after)
		if took := int64(after.HeapAlloc) - int64(before.HeapAlloc); took > all {
			t.Errorf("%s: %d profiles take %d bytes, %d are counted", schema, len(pushes), took, all)
		}
		runtime.KeepAlive(pushes)
		for most := int64(0); most < all; most += all / 50 {
			c := newConverter(ingest.Limits{}, nil)
			c.built = defaults.ExpandTo + int64(defaults.Expansion)*sent - most
			_, err := convert(c, samples, stacks)
			var e *ingest.Error
			if !errors.As(err, &e) || e.Reason != ingest.TooLarge {
				t.Errorf("%s: with %d of %d bytes: %v", schema, most, all, err)
			}
		}
	}
}

// TestArrowShare: what is decompressed and made of records counts in the
// request's share of the memory, in both schemas, and nothing of it twice.
func TestArrowShare(t *testing.T) {
	for _, schema := range []string{"v1", "v2"} {
		samples, stacks := recorded(t, schema+".samples"), recorded(t, "v1.stacks")
		memory := ingest.NewMemory(1 << 20)
		share := memory.Push(t.Context(), 0)
		c := newConverter(ingest.Limits{}, share)
		if _, err := convert(c, samples, stacks); err != nil {
			t.Fatal(err)
		}
		if used := memory.Used(); used != c.taken || used < c.built {
			t.Errorf("%s: %d bytes are used, %d taken, %d built", schema, used, c.taken, c.built)
		}
		most := c.taken
		share.Close()
		if used := memory.Used(); used != 0 {
			t.Errorf("%s: %d bytes are used afterwards", schema, used)
		}
		for n := int64(1); n < most; n += most / 20 {
			share := memory.Push(t.Context(), n)
			_, err := convert(newConverter(ingest.Limits{}, share), samples, stacks)
			var e *ingest.Error
			if err == nil || !errors.As(asIngest(err), &e) || e.Reason != ingest.TooLarge {
				t.Errorf("%s: with %d of %d bytes: %v", schema, n, most, err)
			}
			share.Close()
		}
	}
}

// TestArrowDamaged: records of which some bits are others are refused or kept,
// and do no harm.
func TestArrowDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	flipped := func(data []byte) []byte {
		d := bytes.Clone(data)
		for range 1 + rng.IntN(3) {
			d[rng.IntN(len(d))] ^= 1 << rng.IntN(8)
		}
		return d
	}
	lim := ingest.Limits{BodyBytes: 1 << 20, Pushes: 100}
	for range 500 {
		for _, r := range [][2][]byte{{flipped(recorded(t, "v2.samples")), nil},
			{flipped(recorded(t, "v1.samples")), recorded(t, "v1.stacks")}, {recorded(t, "v1.samples"), flipped(recorded(t, "v1.stacks"))}} {
			checkConverted(t, r[0], r[1], lim)
		}
	}
}

// checkConverted converts what may be damaged, and looks at what comes of it.
func checkConverted(t *testing.T, samples, stacks []byte, lim ingest.Limits) {
	t.Helper()
	pushes, err := convert(newConverter(lim, nil), samples, stacks)
	if err != nil {
		if e := asIngest(err).(*ingest.Error); e.Reason != ingest.Malformed && e.Reason != ingest.TooLarge {
			t.Errorf("%v: %v", e.Reason, e)
		}
		return
	}
	for _, p := range pushes {
		var b bytes.Buffer
		if err := p.Profile.Encode(&b); err != nil {
			t.Error(err)
		}
	}
}

func FuzzArrow(f *testing.F) {
	f.Add(recorded(f, "v2.samples"), []byte{})
	f.Add(recorded(f, "v1.samples"), recorded(f, "v1.stacks"))
	f.Fuzz(func(t *testing.T, samples, stacks []byte) {
		checkConverted(t, samples, stacks, ingest.Limits{BodyBytes: 1 << 20, Pushes: 100})
	})
}

// TestSilentStream: who begins a stream and goes on with nothing is let go.
func TestSilentStream(t *testing.T) {
	recv := &ingesttest.Recorder{}
	server := ingesttest.Serve(t, recv, func(mux *http.ServeMux, recv ingest.Receiver) { arrowService{recv, 2 * time.Second}.mount(mux) })
	client := connect.NewClient[parcapb.WriteRequest, parcapb.WriteResponse](ingesttest.H2C(t), server.URL+service+"Write", connect.WithGRPC())
	for _, begun := range []bool{false, true} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		stream := client.CallBidiStream(ctx)
		_ = stream.Send(nil) // the headers
		if begun {
			if err := stream.Send(&parcapb.WriteRequest{Record: recorded(t, "v1.samples")}); err != nil {
				t.Error(err)
			}
			if res, err := stream.Receive(); err != nil || len(res.GetRecord()) == 0 {
				t.Errorf("asked for %d bytes, %v", len(res.GetRecord()), err)
			}
		}
		if _, err := stream.Receive(); err == nil || ctx.Err() != nil {
			t.Errorf("begun %v: %v", begun, err)
		}
		stream.CloseRequest()
		stream.CloseResponse()
		cancel()
	}
	if got := recv.Pushes(); len(got) != 0 {
		t.Errorf("%d pushes arrived", len(got))
	}
}
