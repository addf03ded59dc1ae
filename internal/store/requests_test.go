package store

import (
	"testing"
	"time"
)

func TestRequestsDuring(t *testing.T) {
	for _, test := range []struct {
		covers, counted time.Duration
		requests        int64
		want            float64
	}{
		{10 * time.Second, time.Minute, 600, 100},
		{50 * time.Second, time.Minute, 600, 500},
		{time.Minute, 30 * time.Second, 300, 600},
		{time.Minute, 29 * time.Second, 300, 0},
		{time.Minute, 0, 0, 0},
		{time.Minute, time.Minute, 0, 0},
		{0, time.Minute, 600, 0},
	} {
		total := Total{Duration: int64(test.covers)}
		if got := total.RequestsDuring(Total{Value: test.requests, Duration: int64(test.counted)}); got != test.want {
			t.Errorf("%d requests in %v: %g in %v, want %g", test.requests, test.counted, got, test.covers, test.want)
		}
	}
}

func TestSelectorRequests(t *testing.T) {
	s, err := ParseSelector(`cpu{service="shop", version!="v1"}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Requests().String(), `requests{service="shop", version!="v1"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
