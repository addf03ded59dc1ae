package store

import (
	"math"
	"strings"
	"testing"
)

func TestNewLabels(t *testing.T) {
	for _, test := range []struct {
		in   []Label
		want string // "" for an error
	}{
		{nil, `{}`},
		{[]Label{{"b", "2"}, {"a", "1"}}, `{a="1", b="2"}`},
		{[]Label{{"a", "1"}, {"b", "x"}, {"a", "2"}}, `{a="2", b="x"}`},
		{[]Label{{"a", ""}, {"b", "x"}}, `{b="x"}`},
		{[]Label{{"a", "1"}, {"a", ""}}, `{}`}, // the last one counts: none
		{[]Label{{"k8s.pod-name_1", "ä\n"}}, `{k8s.pod-name_1="ä\n"}`},
		{[]Label{{"", "x"}}, ""},
		{[]Label{{"1a", "x"}, {"-a", "x"}, {"a b", "x"}, {"ä", "x"}}, `{"-a"="x", "1a"="x", "a b"="x", "ä"="x"}`},
		{[]Label{{"a\n", "x"}}, ""},
		{[]Label{{"a\xff", "x"}}, ""},
		{[]Label{{"a", "\xff"}}, ""},
	} {
		got, err := NewLabels(test.in...)
		if err != nil {
			got = nil
		}
		if text := got.String(); (err != nil) != (test.want == "") || err == nil && text != test.want {
			t.Errorf("%v: got %s, %v, want %s", test.in, text, err, test.want)
		}
	}
}

func TestLabelsGetAndSelect(t *testing.T) {
	ls, err := NewLabels(Label{"service", "api"}, Label{"kind", "cpu"}, Label{"zone", "a"})
	if err != nil {
		t.Fatal(err)
	}
	if ls.Get("kind") != "cpu" || ls.Get("none") != "" || Labels(nil).Get("kind") != "" {
		t.Errorf("Get is wrong about %v", ls)
	}
	if got := ls.Select([]string{"zone", "none", "kind"}).String(); got != `{kind="cpu", zone="a"}` {
		t.Errorf("selected %s", got)
	}
}

// Labels are in the order of their names, then values; fewer come first.
func TestLabelsCompare(t *testing.T) {
	order := []Labels{{}, {{"a", "1"}}, {{"a", "1"}, {"b", "1"}}, {{"a", "2"}}, {{"b", "1"}}}
	for i, a := range order {
		for j, b := range order {
			if got := a.Compare(b); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%v and %v: got %d", a, b, got)
			}
		}
	}
}

func TestWindow(t *testing.T) {
	for _, test := range []struct{ t, step, want int64 }{
		{0, 10, 0}, {9, 10, 0}, {10, 10, 10}, {-1, 10, -10}, {-10, 10, -10}, {-11, 10, -20}, {math.MaxInt64, 1, math.MaxInt64},
	} {
		if got := Window(test.t, test.step); got != test.want {
			t.Errorf("Window(%d, %d) = %d, want %d", test.t, test.step, got, test.want)
		}
	}
}

// The share is of the number that it says, in spite of how fractions are stored.
func TestQueryKept(t *testing.T) {
	for _, test := range []struct {
		top     float64
		n, want int
	}{
		{0, 5, 5}, {0.05, 20, 1}, {0.05, 21, 2}, {0.07, 100, 7}, {0.29, 100, 29}, {0.001, 3, 1}, {1, 3, 3}, {2, 3, 3}, {0.5, 0, 0}, {0.1, 30, 3}, {0.3, 10, 3},
	} {
		if got := (&Query{Top: test.top}).Kept(test.n); got != test.want {
			t.Errorf("%v of %d: got %d, want %d", test.top, test.n, got, test.want)
		}
	}
}

func TestReadableErrors(t *testing.T) {
	_, err := NewMatcher("a\ab", Equal, "")
	if err == nil || !strings.Contains(err.Error(), `"a\ab"`) {
		t.Errorf("got %v", err)
	}
}
