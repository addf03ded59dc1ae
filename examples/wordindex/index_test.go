package main

import (
	"maps"
	"reflect"
	"testing"
)

func TestIndexText(t *testing.T) {
	const text = "One two, two\nTHREE one\n\ntwo-three"
	want := index{"one": "1,2", "two": "1,1,4", "three": "2,4"}
	for name, f := range indexers {
		if got := f(text); !maps.Equal(got, want) {
			t.Errorf("%s(%q) = %v, want %v", name, text, got, want)
		}
	}
	if got, want := topWords(want, 2), []count{{"two", 3}, {"one", 2}}; !reflect.DeepEqual(got, want) {
		t.Errorf("topWords = %v, want %v", got, want)
	}
}

func TestTunedEqualsFirst(t *testing.T) {
	text := generate(200, 12)
	if got, want := indexTextTuned(text), indexText(text); !maps.Equal(got, want) {
		t.Errorf("indexTextTuned and indexText differ")
	}
}

func BenchmarkIndexText(b *testing.B) {
	text := generate(2_000, 12)
	for _, name := range []string{"first", "tuned"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				indexers[name](text)
			}
		})
	}
}

var indexers = map[string]func(string) index{
	"first": indexText,
	"tuned": indexTextTuned,
}
