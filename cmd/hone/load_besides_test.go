package main

import (
	"bytes"
	"testing"

	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/kafkaload"
)

// What a protocol measures besides comes from the results of the periods that were
// measured, and from no other.
func TestBesides(t *testing.T) {
	messages := []*load.Result{{Besides: grpcMessages{Messages: 7, Cut: 2}}, {}, {Besides: grpcMessages{Messages: 3}}}
	if got := messagesOf(messages); got != (grpcMessages{Messages: 10, Cut: 2}) {
		t.Errorf("messages %+v", got)
	}
	var b bytes.Buffer
	messagesOf(messages).tell(&b)
	if want := "\n  messages  10 came in answers, 2 of them in answers that broke off\n"; b.String() != want {
		t.Errorf("told %q, want %q", b.String(), want)
	}

	read := []*load.Result{{Besides: &kafkaload.Delivery{Arrived: 5, Lost: 1}}, {Besides: &kafkaload.Delivery{Arrived: 6, Doubled: 2}}}
	k := &loadKafka{}
	if got := k.report(read).Deliveries; len(got) != 2 || got[0].Lost != 1 || got[1].Arrived != 6 {
		t.Errorf("deliveries %+v", got)
	}
	if got := keptDeliveries(read); len(got) != 2 || got[0].Arrived != 5 || got[1].Doubled != 2 {
		t.Errorf("kept %+v", got)
	}
	if got := keptDeliveries(make([]*load.Result, 0)); got != nil {
		t.Errorf("kept of nothing: %+v", got)
	}
}
