package api

import (
	"testing"
	"time"
)

// FuzzSelection checks that ids of selections fail or have one form, which means
// the same.
func FuzzSelection(f *testing.F) {
	for _, id := range []string{
		"sel:", "sel:q=cpu%7Bservice%3D%22api%22%7D&from=1790000000000&to=1790003600000", "sel:from=-1h&to=now&top=0.05&per=second",
		"sel:id=00112233445566778899aabbccddeeff&sample_type=x", "sel:from=1790000000.5&to=2026-09-21T12:00:00Z", "sel:from=2w ago", "sel:from=1&to=1.5",
		"sel:from=10000000000.0", "sel:from=1960-01-01T00:00:00.5Z&to=1969-12-31T23:59:59Z",
	} {
		f.Add(id)
	}
	now := time.Unix(1790000000, 0)
	f.Fuzz(func(t *testing.T, id string) {
		sel, err := ParseSelection(id, now)
		if err != nil {
			return
		}
		text := sel.String()
		again, err := ParseSelection(text, now.Add(time.Hour))
		if err != nil {
			t.Fatalf("%q reads, but its form %q does not: %v", id, text, err)
		}
		if again.String() != text {
			t.Errorf("%q becomes %q, and that %q", id, text, again.String())
		}
	})
}

func TestParseTime(t *testing.T) {
	now := time.Date(2026, 9, 21, 12, 30, 0, 500, time.UTC)
	for _, test := range []struct {
		text string
		want time.Time
	}{
		{"now", now.Truncate(time.Second)},
		{"-1h", now.Truncate(time.Second).Add(-time.Hour)},
		{"now-1h30m", now.Truncate(time.Second).Add(-90 * time.Minute)},
		{"now - 1d", now.Truncate(time.Second).Add(-24 * time.Hour)},
		{"+5m", now.Truncate(time.Second).Add(5 * time.Minute)},
		{"2d ago", now.Truncate(time.Second).Add(-48 * time.Hour)},
		{"1.5h ago", now.Truncate(time.Second).Add(-90 * time.Minute)},
		{"1w2d", time.Time{}},
		{"1790000000", time.UnixMilli(1790000000)},
		{"0", time.UnixMilli(0)},
		{"1790000000123", time.UnixMilli(1790000000123)},
		{"1790000000.25", time.UnixMilli(1790000000250)},
		{"2026-09-21T14:00:00+02:00", time.Date(2026, 9, 21, 12, 0, 0, 0, time.UTC)},
		{"2026-09-21 12:00:00Z", time.Date(2026, 9, 21, 12, 0, 0, 0, time.UTC)},
		{"-5", time.Time{}}, {"", time.Time{}}, {"yesterday", time.Time{}}, {"1h", time.Time{}}, {"-", time.Time{}}, {"now-", time.Time{}}, {"nowhere", time.Time{}},
		{"9999999999999999", time.Time{}}, {"99999999999999999999", time.Time{}}, {"3000-01-01T00:00:00Z", time.Time{}}, {"-9999999d", time.Time{}}, {"ago", time.Time{}},
		{"10000000000.0", time.Time{}}, {"99999999999.5", time.Time{}},
	} {
		got, err := ParseTime(test.text, now)
		if (err != nil) != test.want.IsZero() || err == nil && !got.Equal(test.want) {
			t.Errorf("%q is %s, %v, want %s", test.text, got, err, test.want)
		}
	}
}
