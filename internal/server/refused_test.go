package server

import (
	"fmt"
	"testing"
	"time"
)

func TestRefused(t *testing.T) {
	var f refused
	now := time.Now()
	for i, want := range []bool{true, false, false} {
		if got := f.first("a", now.Add(time.Duration(i)*time.Minute)); got != want {
			t.Errorf("request %d: %v", i, got)
		}
	}
	if !f.first("a", now.Add(refusedEvery)) || !f.first("b", now) {
		t.Error("a sender is not told of: after an hour, or another one")
	}
	for i := range 2 * maxRefused {
		f.first(fmt.Sprint(i), now)
	}
	if len(f.told) > maxRefused {
		t.Errorf("remembers %d senders", len(f.told))
	}
	if later := now.Add(2 * refusedEvery); !f.first("c", later) || len(f.told) != 1 {
		t.Errorf("remembers %d senders of the time before", len(f.told))
	}
}
