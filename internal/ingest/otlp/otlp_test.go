package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	pb "go.opentelemetry.io/proto/otlp/profiles/v1development"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/ingesttest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/internal/store/storetest"
	"github.com/hone-go/hone/profile"
)

func post(t *testing.T, target, contentType string, body []byte, encoding string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequest("POST", target, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Content-Encoding", encoding)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, text
}

func load(t testing.TB, name string) *profile.Profile {
	t.Helper()
	p, err := profile.DecodeBytes(ingesttest.Profile(t, name), profile.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A writer turns profiles into a request, the way that the protocol says.
type writer struct {
	d       *pb.ProfilesDictionary
	strings map[string]int32
	attrs   map[profile.Label]int32
}

func newWriter() *writer {
	return &writer{&pb.ProfilesDictionary{MappingTable: []*pb.Mapping{{}}, LocationTable: []*pb.Location{{}}, FunctionTable: []*pb.Function{{}}, LinkTable: []*pb.Link{{}},
		StringTable: []string{""}, AttributeTable: []*pb.KeyValueAndUnit{{}}, StackTable: []*pb.Stack{{}}}, map[string]int32{"": 0}, map[profile.Label]int32{}}
}

func (w *writer) string(s string) int32 {
	i, ok := w.strings[s]
	if !ok {
		i = int32(len(w.d.StringTable))
		w.strings[s] = i
		w.d.StringTable = append(w.d.StringTable, s)
	}
	return i
}

func (w *writer) valueType(t profile.ValueType) *pb.ValueType {
	return &pb.ValueType{TypeStrindex: w.string(t.Type), UnitStrindex: w.string(t.Unit)}
}

// profiles returns p as profiles of one sample type each.
func (w *writer) profiles(p *profile.Profile) []*pb.Profile {
	functions, mappings, locations := len(w.d.FunctionTable), len(w.d.MappingTable), len(w.d.LocationTable)
	for _, m := range p.Mappings {
		id := &pb.KeyValueAndUnit{KeyStrindex: w.string("process.executable.build_id.gnu"), Value: text(m.BuildID)}
		w.d.AttributeTable = append(w.d.AttributeTable, id)
		w.d.MappingTable = append(w.d.MappingTable, &pb.Mapping{MemoryStart: m.Start, MemoryLimit: m.Limit, FileOffset: m.Offset, FilenameStrindex: w.string(m.File),
			AttributeIndices: []int32{int32(len(w.d.AttributeTable) - 1)}})
	}
	for _, f := range p.Functions {
		w.d.FunctionTable = append(w.d.FunctionTable, &pb.Function{NameStrindex: w.string(p.Strings[f.Name]), SystemNameStrindex: w.string(p.Strings[f.SystemName]),
			FilenameStrindex: w.string(p.Strings[f.File]), StartLine: f.StartLine})
	}
	for i, l := range p.Locations {
		loc := &pb.Location{Address: l.Address}
		if l.Mapping > 0 {
			loc.MappingIndex = int32(mappings) + int32(l.Mapping) - 1
		}
		for _, line := range p.LocationLines(uint32(i)) {
			loc.Lines = append(loc.Lines, &pb.Line{FunctionIndex: int32(functions) + int32(line.Function), Line: line.Line, Column: line.Column})
		}
		w.d.LocationTable = append(w.d.LocationTable, loc)
	}
	first := len(w.d.StackTable)
	for s := range p.NumSamples() {
		stack := &pb.Stack{}
		for _, l := range p.Stack(s) {
			stack.LocationIndices = append(stack.LocationIndices, int32(locations)+int32(l))
		}
		w.d.StackTable = append(w.d.StackTable, stack)
	}
	var out []*pb.Profile
	for t, st := range p.SampleTypes {
		q := &pb.Profile{SampleType: w.valueType(st), PeriodType: w.valueType(p.PeriodType), Period: p.Period, TimeUnixNano: uint64(p.TimeNanos), DurationNano: uint64(p.DurationNanos)}
		for s := range p.NumSamples() {
			sample := &pb.Sample{StackIndex: int32(first + s), Values: []int64{p.Values[t][s]}}
			for _, l := range p.SampleLabelSet(s) {
				kv := &pb.KeyValueAndUnit{KeyStrindex: w.string(p.Strings[l.Key]), Value: text(p.Strings[l.Str])}
				if l.Numeric {
					kv.Value = &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: l.Num}}
					kv.UnitStrindex = w.string(p.Strings[l.Unit])
				}
				i, ok := w.attrs[l]
				if !ok {
					i = int32(len(w.d.AttributeTable))
					w.attrs[l] = i
					w.d.AttributeTable = append(w.d.AttributeTable, kv)
				}
				sample.AttributeIndices = append(sample.AttributeIndices, i)
			}
			q.Samples = append(q.Samples, sample)
		}
		out = append(out, q)
	}
	return out
}

func text(s string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: s}}
}

func (w *writer) request(attributes []*commonpb.KeyValue, ps ...*pb.Profile) *pb.ProfilesData {
	return &pb.ProfilesData{Dictionary: w.d, ResourceProfiles: []*pb.ResourceProfiles{{Resource: &resourcepb.Resource{Attributes: attributes},
		ScopeProfiles: []*pb.ScopeProfiles{{Profiles: ps}}}}}
}

func attributes(pairs ...string) (out []*commonpb.KeyValue) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, &commonpb.KeyValue{Key: pairs[i], Value: text(pairs[i+1])})
	}
	return out
}

func encoded(t testing.TB, m proto.Message) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestExport: profiles that were written in the protocol's form are the same
// again, in every way they can be sent.
func TestExport(t *testing.T) {
	recv := &ingesttest.Recorder{}
	server, h2c := ingesttest.Serve(t, recv, Mount), ingesttest.H2C(t)
	type sender func(t *testing.T, m *pb.ProfilesData)
	over := func(options ...connect.ClientOption) sender {
		return func(t *testing.T, m *pb.ProfilesData) {
			client := connect.NewClient[pb.ProfilesData, pb.ProfilesData](h2c, server.URL+procedure, options...)
			if _, err := client.CallUnary(context.Background(), connect.NewRequest(m)); err != nil {
				t.Fatal(err)
			}
		}
	}
	http := func(contentType, encoding string, encode func(proto.Message) ([]byte, error)) sender {
		return func(t *testing.T, m *pb.ProfilesData) {
			body, err := encode(m)
			if err != nil {
				t.Fatal(err)
			}
			if encoding == "gzip" {
				body = ingesttest.Gzip(body)
			}
			if resp, text := post(t, server.URL+"/v1development/profiles", contentType, body, encoding); resp.StatusCode != 200 || resp.Header.Get("Content-Type") != contentType {
				t.Fatalf("%s %s", resp.Status, text)
			}
		}
	}
	senders := map[string]sender{
		"gRPC": over(connect.WithGRPC()), "gRPC, gzip": over(connect.WithGRPC(), connect.WithSendGzip()), "gRPC-Web": over(connect.WithGRPCWeb()), "Connect": over(),
		"Connect in JSON": over(connect.WithProtoJSON()), "HTTP": http("application/x-protobuf", "", proto.Marshal),
		"HTTP, gzip": http("application/x-protobuf", "gzip", proto.Marshal), "HTTP in JSON": http("application/json", "", protojson.Marshal),
	}
	for _, name := range []string{"cpu.labels.pb.gz", "allocs.templates.pb.gz", "block.accounts.pb.gz", "cpu.cgo-unsymbolized.pb.gz"} {
		want := load(t, name)
		w := newWriter()
		m := w.request(attributes("service.name", "api", "service.version", "v1", "host.name", "h", "cloud.availability_zone", "eu-1", "k8s.pod.name", "p-1", "telemetry.sdk.name", "x"), w.profiles(want)...)
		labels, _ := store.NewLabels(store.Label{Name: "service", Value: "api"}, store.Label{Name: "version", Value: "v1"}, store.Label{Name: "zone", Value: "eu-1"},
			store.Label{Name: "instance", Value: "p-1"}, store.Label{Name: "host.name", Value: "h"}, store.Label{Name: "k8s.pod.name", Value: "p-1"})
		for how, send := range senders {
			t.Run(name+"/"+how, func(t *testing.T) {
				send(t, m)
				got := recv.Pushes()
				if len(got) != 1 {
					t.Fatalf("%d profiles, want one", len(got))
				}
				p := got[0]
				if !reflect.DeepEqual(p.Labels, labels) || p.Time != want.TimeNanos || p.Duration != want.DurationNanos || p.Protocol != Protocol {
					t.Errorf("labels %v, want %v; time %d, duration %d", p.Labels, labels, p.Time, p.Duration)
				}
				if kind := map[bool]string{true: "cpu"}[strings.HasPrefix(name, "cpu")]; p.Kind != kind {
					t.Errorf("kind %q, want %q", p.Kind, kind)
				}
				if !reflect.DeepEqual(ingesttest.ValueSums(p.Decoded), ingesttest.ValueSums(want)) {
					t.Errorf("sums %v, want %v", ingesttest.ValueSums(p.Decoded), ingesttest.ValueSums(want))
				}
				a, b := *p.Decoded, *want
				a.DefaultSampleType, b.DefaultSampleType = "", "" // what the protocol has no place for
				a.Comments, b.Comments = nil, nil
				if diff := storetest.Diff(profile.Compact(&a), profile.Compact(&b)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// TestSampleForms: a sample has a value, times of events, or values at times.
func TestSampleForms(t *testing.T) {
	w := newWriter()
	sample := func(values []int64, times ...uint64) *pb.Sample {
		return &pb.Sample{StackIndex: 0, Values: values, TimestampsUnixNano: times}
	}
	cpu := w.valueType(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	events := w.valueType(profile.ValueType{Type: "samples", Unit: "count"})
	for name, test := range map[string]struct {
		p    *pb.Profile
		sums map[string]int64
		kind string
		time int64
	}{
		"values":       {&pb.Profile{SampleType: cpu, TimeUnixNano: 5, Samples: []*pb.Sample{sample([]int64{7}), sample([]int64{0}), sample([]int64{-3})}}, map[string]int64{"cpu/nanoseconds": 4}, "", 5},
		"times":        {&pb.Profile{SampleType: events, Samples: []*pb.Sample{sample(nil, 30, 20), sample(nil, 25)}}, map[string]int64{"samples/count": 3}, "", 20},
		"both":         {&pb.Profile{SampleType: cpu, TimeUnixNano: 5, Samples: []*pb.Sample{sample([]int64{1, 2}, 30, 20)}}, map[string]int64{"cpu/nanoseconds": 3}, "", 5},
		"time of each": {&pb.Profile{SampleType: events, PeriodType: cpu, Period: 50, Samples: []*pb.Sample{sample(nil, 30, 20)}}, map[string]int64{"samples/count": 2, "cpu/nanoseconds": 100}, "cpu", 20},
	} {
		pushes, rejected, err := convert(&request{data: encoded(t, w.request(nil, test.p))}, ingest.Limits{})
		if err != nil || rejected != nil || len(pushes) != 1 {
			t.Errorf("%s: %v, %v", name, rejected, err)
			continue
		}
		if p := pushes[0]; !reflect.DeepEqual(ingesttest.ValueSums(p.Profile), test.sums) || p.Kind != test.kind || p.Time != test.time {
			t.Errorf("%s: %v, kind %q, time %d; want %v, %q, %d", name, ingesttest.ValueSums(p.Profile), p.Kind, p.Time, test.sums, test.kind, test.time)
		}
	}
}

// TestLinks: the span that a sample is of becomes labels, in both encodings.
func TestLinks(t *testing.T) {
	w := newWriter()
	w.d.LinkTable = append(w.d.LinkTable, &pb.Link{TraceId: bytes.Repeat([]byte{0xab}, 16), SpanId: bytes.Repeat([]byte{0xcd}, 8)})
	m := w.request(nil, &pb.Profile{SampleType: w.valueType(profile.ValueType{Type: "cpu", Unit: "nanoseconds"}), ProfileId: bytes.Repeat([]byte{1}, 16), TimeUnixNano: 1,
		Samples: []*pb.Sample{{LinkIndex: 1, Values: []int64{1}}}})
	inJSON := &request{}
	// In JSON these IDs are hexadecimal.
	text := fmt.Sprintf(`{"dictionary":{"stringTable":["","cpu","nanoseconds"],"linkTable":[{},{"traceId":"%s","spanId":"%s"}]},
		"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"profileId":"%s","sampleType":{"typeStrindex":1,"unitStrindex":2},"timeUnixNano":"1","samples":[{"linkIndex":1,"values":["1"]}]}]}]}]}`,
		strings.Repeat("ab", 16), strings.Repeat("cd", 8), strings.Repeat("01", 16))
	if err := inJSON.unmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	for name, req := range map[string]*request{"protobuf": {data: encoded(t, m)}, "JSON": inJSON} {
		pushes, _, err := convert(req, ingest.Limits{})
		if err != nil || len(pushes) != 1 {
			t.Fatalf("%s: %v", name, err)
		}
		p := pushes[0].Profile
		if !p.HasLabel(0, "trace_id", strings.Repeat("ab", 16)) || !p.HasLabel(0, "span_id", strings.Repeat("cd", 8)) || pushes[0].Key != strings.Repeat("01", 16) {
			t.Errorf("%s: labels %v, key %q", name, p.SampleLabelSet(0), pushes[0].Key)
		}
		// Without a profileId it is the bytes that tell what is sent again.
		var first, again bytes.Buffer
		if err := p.EncodeUncompressed(&first); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			pushes, _, _ := convert(req, ingest.Limits{})
			again.Reset()
			if err := pushes[0].Profile.EncodeUncompressed(&again); err != nil || !bytes.Equal(first.Bytes(), again.Bytes()) {
				t.Fatalf("%s: the same request is another profile the next time, %v", name, err)
			}
		}
	}
}

// TestEventProfiles: what the OpenTelemetry eBPF profiler collects in one interval, off-CPU
// time and events of probes next to samples of CPU time, are profiles of three kinds. Spans
// of off-CPU samples stay with them.
func TestEventProfiles(t *testing.T) {
	recorded := &ingesttest.Recorder{}
	server := ingesttest.Serve(t, recorded, Mount)
	w := newWriter()
	w.d.LinkTable = append(w.d.LinkTable, &pb.Link{TraceId: bytes.Repeat([]byte{0xab}, 16), SpanId: bytes.Repeat([]byte{0xcd}, 8)})
	none, cpu := &pb.ValueType{}, w.valueType(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	of := func(name, unit string, period *pb.ValueType, interval int64, samples ...*pb.Sample) *pb.Profile {
		return &pb.Profile{SampleType: w.valueType(profile.ValueType{Type: name, Unit: unit}), PeriodType: period, Period: interval, TimeUnixNano: 1000, DurationNano: 5e9, Samples: samples}
	}
	body := encoded(t, w.request(attributes("service.name", "api"),
		of("events", "count", none, 0, &pb.Sample{TimestampsUnixNano: []uint64{1001, 1002}}),
		of("off_cpu", "nanoseconds", none, 0, &pb.Sample{LinkIndex: 1, Values: []int64{30e6, 12e6}, TimestampsUnixNano: []uint64{1001, 1003}}),
		of("samples", "count", cpu, 50e6, &pb.Sample{TimestampsUnixNano: []uint64{1001, 1002, 1004}})))
	if resp, text := post(t, server.URL+"/v1development/profiles", "application/x-protobuf", body, ""); resp.StatusCode != 200 {
		t.Fatalf("%s %s", resp.Status, text)
	}
	got := map[string]map[string]int64{}
	for _, p := range recorded.Pushes() {
		kind := p.Kind
		if kind == "" {
			kind = ingest.KindOf(p.Decoded)
		}
		got[kind] = ingesttest.ValueSums(p.Decoded)
		if kind == "offcpu" && (!p.Decoded.HasLabel(0, "span_id", strings.Repeat("cd", 8)) || !p.Decoded.HasLabel(0, "trace_id", strings.Repeat("ab", 16))) {
			t.Errorf("labels of an off-CPU sample: %v", p.Decoded.SampleLabelSet(0))
		}
	}
	want := map[string]map[string]int64{"events": {"events/count": 2}, "offcpu": {"off_cpu/nanoseconds": 42e6}, "cpu": {"samples/count": 3, "cpu/nanoseconds": 150e6}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestOlderVersions: messages whose numbers meant something else are refused,
// and say why.
func TestOlderVersions(t *testing.T) {
	recv := &ingesttest.Recorder{}
	server := ingesttest.Serve(t, recv, Mount)
	b := func(num protowire.Number, data ...[]byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), bytes.Join(data, nil))
	}
	n := func(num protowire.Number, v uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), v)
	}
	dictionary := b(2, b(5), b(5, []byte("cpu")), b(5, []byte("nanoseconds")), b(6), b(7))
	sampleType := b(1, n(1, 1), n(2, 2))
	profileOf := func(fields ...[]byte) []byte { return append(b(1, b(2, b(2, fields...))), dictionary...) }
	for name, body := range map[string][]byte{
		"values at 2":                 profileOf(sampleType, b(2, n(1, 0), b(2, []byte{5}))),
		"values at 2, attribute at 3": profileOf(sampleType, b(2, n(1, 0), b(2, []byte{0}), b(3, []byte{0}))),
		"values at 3":                 profileOf(sampleType, b(2, n(1, 0), n(2, 0), b(3, []byte{5}))),
		"values at 2, link at 4":      profileOf(sampleType, b(2, n(1, 0), b(2, []byte{0}), n(4, 1))),
		"values at 2, at two times":   profileOf(sampleType, b(2, n(1, 0), b(2, []byte{0, 0}), b(5, make([]byte, 16)))),
		"no values":                   profileOf(sampleType, b(2, n(1, 0))),
		"several sample types":        profileOf(sampleType, sampleType, b(2, n(1, 0), b(4, []byte{1}))),
		"tables in the profile":       b(1, b(2, b(2, b(1, n(1, 1), n(2, 2)), b(2, n(1, 0), n(2, 1), b(3, []byte{1})), b(3, []byte{0}), n(9, 1)))),
		"no sample type":              profileOf(b(2, n(1, 0), b(4, []byte{1}))),
	} {
		resp, text := post(t, server.URL+"/v1development/profiles", "application/x-protobuf", body, "")
		if resp.StatusCode != 400 || !bytes.Contains(text, []byte("another version of this protocol")) {
			t.Errorf("%s: %s %q", name, resp.Status, text)
		}
	}
	// Temporality, which newer versions don't have.
	cumulative := b(1, n(1, 1), n(2, 2), n(3, 2))
	pushes, _, err := convert(&request{data: profileOf(cumulative, b(2, n(1, 0), b(4, []byte{1})))}, ingest.Limits{})
	if err != nil || len(pushes) != 1 || !reflect.DeepEqual(pushes[0].Cumulative, []string{"cpu"}) {
		t.Errorf("cumulative: %v, %v", pushes, err)
	}
}

// TestPartialSuccess: of several profiles those are kept that make sense.
func TestPartialSuccess(t *testing.T) {
	recv := &ingesttest.Recorder{}
	server := ingesttest.Serve(t, recv, Mount)
	w := newWriter()
	good := w.profiles(load(t, "cpu.labels.pb.gz"))
	bad := &pb.Profile{SampleType: w.valueType(profile.ValueType{Type: "x", Unit: "count"}), TimeUnixNano: 7, Samples: []*pb.Sample{{StackIndex: 1 << 30, Values: []int64{1}}}}
	m := w.request(attributes("service.name", "api"), append(good, bad)...)
	resp, body := post(t, server.URL+"/v1development/profiles", "application/x-protobuf", encoded(t, m), "")
	if resp.StatusCode != 200 || !bytes.Contains(body, []byte("stack 1073741824")) || len(recv.Pushes()) != 1 {
		t.Errorf("%s %q", resp.Status, body)
	}
	inJSON, _ := protojson.Marshal(m)
	resp, body = post(t, server.URL+"/v1development/profiles", "application/json", inJSON, "")
	var res struct {
		PartialSuccess struct{ RejectedProfiles, ErrorMessage string }
	}
	if err := json.Unmarshal(body, &res); err != nil || resp.StatusCode != 200 || res.PartialSuccess.RejectedProfiles != "1" || len(recv.Pushes()) != 1 {
		t.Errorf("%s %s, %v", resp.Status, body, err)
	}
	if resp, body := post(t, server.URL+"/v1development/profiles", "application/x-protobuf", encoded(t, w.request(nil, bad)), ""); resp.StatusCode != 400 {
		t.Errorf("bad ones alone: %s %q", resp.Status, body)
	}
}

func TestRefused(t *testing.T) {
	recv := &ingesttest.Recorder{Lim: ingest.Limits{BodyBytes: 1 << 20, Pushes: 10}}
	server, h2c := ingesttest.Serve(t, recv, Mount), ingesttest.H2C(t)
	w := newWriter()
	ok := encoded(t, w.request(nil, w.profiles(load(t, "cpu.labels.pb.gz"))...))
	many := newWriter()
	var ps []*pb.Profile
	for i := range 11 {
		ps = append(ps, &pb.Profile{SampleType: many.valueType(profile.ValueType{Type: "x", Unit: "count"}), TimeUnixNano: uint64(i + 1), Samples: []*pb.Sample{{Values: []int64{1}}}})
	}
	for name, test := range map[string]struct {
		contentType, encoding string
		body                  []byte
		status                int
	}{
		"truncated":        {"application/x-protobuf", "", ok[:len(ok)/2], 400},
		"truncated JSON":   {"application/json", "", []byte(`{"resourceProfiles":[`), 400},
		"JSON as protobuf": {"application/x-protobuf", "", []byte(`{"resourceProfiles":[]}`), 400},
		"protobuf as JSON": {"application/json", "", ok, 400},
		"no type":          {"", "", ok, 415},
		"other type":       {"text/plain", "", ok, 415},
		"mislabelled":      {"application/x-protobuf", "gzip", ok, 400},
		"bomb":             {"application/x-protobuf", "gzip", ingesttest.Bomb(64 << 20), 413},
		"oversize":         {"application/x-protobuf", "", make([]byte, 2<<20), 413},
		"many profiles":    {"application/x-protobuf", "", encoded(t, many.request(nil, ps...)), 413},
		"hollow resources": {"application/x-protobuf", "", bytes.Repeat([]byte{0x0a, 0}, 1<<18), 413},
	} {
		resp, text := post(t, server.URL+"/v1development/profiles", test.contentType, test.body, test.encoding)
		if resp.StatusCode != test.status {
			t.Errorf("%s: %s %q, want %d", name, resp.Status, text, test.status)
		}
		if test.contentType == "application/json" && !json.Valid(text) {
			t.Errorf("%s: %q is no JSON", name, text)
		}
	}
	call := func(m *pb.ProfilesData) error {
		_, err := connect.NewClient[pb.ProfilesData, pb.ProfilesData](h2c, server.URL+procedure, connect.WithGRPC(), connect.WithSendGzip()).CallUnary(context.Background(), connect.NewRequest(m))
		return err
	}
	if err := call(many.request(nil, ps...)); connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("many profiles over gRPC: %v", err)
	}
	huge := newWriter()
	huge.string(strings.Repeat("x", 2<<20)) // a bomb
	if err := call(huge.request(nil)); connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("a bomb over gRPC: %v", err)
	}
	if got := recv.Pushes(); len(got) != 0 {
		t.Errorf("%d profiles arrived", len(got))
	}
	recv.Err = &ingest.Error{Reason: ingest.Limited, RetryAfter: 3 * time.Second, Err: fmt.Errorf("too fast")}
	if resp, text := post(t, server.URL+"/v1development/profiles", "application/x-protobuf", ok, ""); resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "3" || !bytes.Contains(text, []byte("too fast")) {
		t.Errorf("limited: %s %q", resp.Status, text)
	}
}

func FuzzConvert(f *testing.F) {
	w := newWriter()
	f.Add(encoded(f, w.request(attributes("service.name", "a"), w.profiles(load(f, "cpu.labels.pb.gz"))...)))
	w = newWriter()
	f.Add(encoded(f, w.request(nil, &pb.Profile{SampleType: w.valueType(profile.ValueType{Type: "x", Unit: "count"}), Samples: []*pb.Sample{{Values: []int64{1, 2}, TimestampsUnixNano: []uint64{3, 4}}}})))
	f.Add([]byte{0x12, 2, 0x2a, 0, 0x0a, 4, 0x12, 2, 0x12, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		pushes, _, err := convert(&request{data: data}, ingest.Limits{Pushes: 100})
		if err != nil {
			return
		}
		for _, p := range pushes {
			// What is kept can be written and read again.
			var b bytes.Buffer
			if err := p.Profile.Encode(&b); err != nil {
				t.Fatal(err)
			}
			q, err := profile.DecodeBytes(b.Bytes(), profile.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(ingesttest.ValueSums(p.Profile), ingesttest.ValueSums(q)) {
				t.Errorf("sums %v, then %v", ingesttest.ValueSums(p.Profile), ingesttest.ValueSums(q))
			}
		}
	})
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"dictionary":{"stringTable":["","cpu"]},"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1},"samples":[{"values":["1"]}]}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		req := &request{}
		if req.unmarshalJSON(data) == nil {
			_, _, _ = convert(req, ingest.Limits{Pushes: 100})
		}
	})
}

// Profiles count as the bytes that they came in: for counters, and for rates.
func TestBytes(t *testing.T) {
	hub := ingest.New(ingest.Config{Store: storetest.NewModel()})
	server := ingesttest.Serve(t, hub, Mount)
	w := newWriter()
	ps := append(w.profiles(load(t, "cpu.labels.pb.gz")), w.profiles(load(t, "heap.leak.pb.gz"))...)
	body := encoded(t, w.request(attributes("service.name", "api"), ps...))
	if resp, text := post(t, server.URL+"/v1development/profiles", "application/x-protobuf", body, ""); resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %q", resp.Status, text)
	}
	if s := hub.Stats().Protocols; len(s) != 1 || s[0].Bytes != int64(len(body)) {
		t.Errorf("counted %+v, %d bytes were sent", s, len(body))
	}
}
