package kafkaload

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/load"
)

// The tracker tells the same as counters of each message do.
func TestTracker(t *testing.T) {
	const n = 2*chunkSize + 1000
	rng := rand.New(rand.NewPCG(1, 2))
	tr := newTracker(time.Second)
	clock := load.NewClock()
	marks, acked, seen := make([][]byte, n), make([]int, n), make([]int, n)
	var events []int // a message's number, or less than 0 where it is acknowledged
	for i := range marks {
		var number uint64
		marks[i], number = tr.appendMark(nil, clock.Start(), time.Duration(i)*time.Millisecond)
		if number != uint64(i) || len(marks[i]) != markSize {
			t.Fatalf("message %d is %d: % x", i, number, marks[i])
		}
		if i < chunkSize || rng.IntN(1000) > 0 { // The first chunk has all.
			events = append(events, -1-i)
		}
		if i < chunkSize || rng.IntN(1000) > 0 {
			events = append(events, i)
		}
		if rng.IntN(1000) == 0 {
			events = append(events, i)
		}
	}
	rng.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	for _, e := range events {
		if e < 0 {
			tr.acked(uint64(-1 - e))
			acked[-1-e]++
		} else {
			tr.arrived(marks[e], tr.at(clock.Start().Add(time.Minute)))
			seen[e]++
		}
	}
	other := newTracker(0)
	foreign, _ := other.appendMark(nil, clock.Start(), 0)
	for _, mark := range [][]byte{foreign, nil, marks[0][:24], append([]byte{2}, marks[0][1:]...), append(marks[0][:9:9], foreign[1:17]...)} {
		tr.arrived(mark, 0)
	}
	var want Delivery
	for i := range n {
		switch {
		case seen[i] == 0 && acked[i] > 0:
			want.Lost++
		case seen[i] > 0:
			want.Arrived++
			want.Doubled += int64(seen[i] - 1)
			if acked[i] == 0 {
				want.Unconfirmed++
			}
		}
	}
	got := *tr.delivery()
	quantiles := got.Time
	got.Time = load.Quantiles{}
	if got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if tr.chunks[0] != complete || tr.chunks[1] == complete {
		t.Error("of the chunks the first is complete, and no other")
	}
	// Messages of the first second have no time, and the rest arrived a minute after the start.
	if longest := time.Minute - time.Second; *quantiles.Max < longest-time.Second || *quantiles.Max > longest+time.Second {
		t.Errorf("the longest took %v", *quantiles.Max)
	}
}
