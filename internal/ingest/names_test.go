package ingest_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// No text of a profile is longer than the limit, wherever it stands, and texts that
// differ stay different.
func TestLongNames(t *testing.T) {
	const most = 4096
	h, r, _ := newHub(nil)
	long := func(end string) string { return strings.Repeat("ä", 100_000) + end }
	b := profile.NewBuilder(profile.ValueType{Type: long("type"), Unit: long("unit")}, profile.ValueType{Type: "second", Unit: "count"})
	m := b.Mapping(profile.Mapping{Start: 1, Limit: 100, File: long("file"), BuildID: long("build")})
	var stack []uint32
	for i, end := range []string{"a", "b"} {
		stack = append(stack, b.Location(uint64(i+1), m, profile.Line{Function: b.Function(long(end), long(end+"system"), long(end+".go"), 1), Line: 1}))
	}
	b.Sample(stack, []profile.Label{{Key: b.String(long("key")), Str: b.String(long("value"))}}, 1, 2)
	p := b.Profile()
	p.Comments, p.DocURL, p.DefaultSampleType = []string{long("comment")}, long("url"), long("type")
	p.PeriodType = profile.ValueType{Type: long("period"), Unit: long("unit")}
	p.DropFrames, p.KeepFrames = long("drop"), "keep"
	data := encode(t, p)
	for name, push := range map[string]ingest.Push{"encoded": {Data: data}, "decoded": {Profile: p}} {
		push.Labels = []store.Label{{Name: "service", Value: long("s")}, {Name: strings.Repeat("n", 1000), Value: "x"}, {Name: strings.Repeat("n", 1001), Value: "y"}}
		push.Kind = long("kind")
		receive(t, h, push)
		records := r.take()
		if len(records) != 1 {
			t.Fatalf("%s: %d records", name, len(records))
		}
		got := records[0].Profile
		texts := 0
		var look func(v reflect.Value)
		look = func(v reflect.Value) {
			switch v.Kind() {
			case reflect.String:
				if texts++; v.Len() > most {
					t.Errorf("%s: a text has %d bytes: %.40s", name, v.Len(), v.String())
				}
			case reflect.Struct:
				for i := range v.NumField() {
					look(v.Field(i))
				}
			case reflect.Slice:
				for i := range v.Len() {
					look(v.Index(i))
				}
			}
		}
		look(reflect.ValueOf(got).Elem())
		if texts < 15 {
			t.Errorf("%s: only %d texts were looked at", name, texts)
		}
		names := map[string]bool{}
		for _, f := range got.Functions {
			for _, id := range []profile.StringID{f.Name, f.SystemName, f.File} {
				names[got.Strings[id]] = true
			}
		}
		if len(names) != 6 {
			t.Errorf("%s: 6 different names became %d", name, len(names))
		}
		if got.DefaultSampleType != got.SampleTypes[0].Type || got.DropFrames != "" || got.KeepFrames != "keep" {
			t.Errorf("%s: default %.20q, drop %.20q, keep %q", name, got.DefaultSampleType, got.DropFrames, got.KeepFrames)
		}
		if labels := records[0].Labels; len(labels) != 4 {
			t.Errorf("%s: %d labels, want service, kind and 2 long names: %.200s", name, len(labels), labels)
		}
		for _, l := range records[0].Labels {
			if len(l.Name) > 128 || len(l.Value) > 1024 {
				t.Errorf("%s: label %.40s has %d and %d bytes", name, l.Name, len(l.Name), len(l.Value))
			}
		}
	}
	if s := h.Stats(); s.Degraded[ingest.NameCut] == 0 || s.Degraded[ingest.LabelCut] == 0 {
		t.Errorf("cut names are not counted: %v", s.Degraded)
	}
}

// What samples share may not stand for far more than was sent.
func TestReach(t *testing.T) {
	h, r, _ := newHub(nil)
	deep := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	lines := make([]profile.Line, 20_000)
	for i := range lines {
		lines[i].Function = deep.Function("f", "f", "f.go", 1)
	}
	inlined := deep.Location(1, 0, lines...)
	stack := make([]uint32, 4_000)
	for i := range stack {
		stack[i] = inlined
	}
	deep.Sample(stack, nil, 1)
	labelled := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	labels := make([]profile.Label, 2000)
	for i := range labels {
		labels[i] = profile.Label{Key: labelled.String("k"), Str: labelled.String("v")}
	}
	labelled.Sample([]uint32{labelled.Location(1, 0)}, labels, 1)
	for what, p := range map[string]*profile.Profile{"frames, including inlined ones": deep.Profile(), "a sample has 2000 labels": labelled.Profile()} {
		err := h.Receive(t.Context(), "test", ingest.Push{Data: encode(t, p), Labels: []store.Label{{Name: "service", Value: "s"}}})
		var refused *ingest.Error
		if !errors.As(err, &refused) || refused.Reason != ingest.TooLarge || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if n := len(r.take()); n != 0 {
		t.Errorf("%d are kept", n)
	}
}
