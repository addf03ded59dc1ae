// Package ingest takes profiles in. The packages below it speak one wire
// protocol each: they turn requests into pushes and the Receiver's errors into
// what their clients understand.
package ingest

import (
	"context"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A Push is one profile on its way in, in hone's words: it is for the protocol
// to translate names of labels and units of time.
type Push struct {
	// Data is the profile as it was sent, in any format that profile.Decode
	// reads. Profile is used instead where it is not nil.
	Data    []byte
	Profile *profile.Profile
	// Parse, unless it is nil, decodes Data, which is in another format than
	// those, within the limits.
	Parse func(data []byte, lim profile.Limits) (*profile.Profile, error)

	// Sent is how many bytes it came in, for rates and counters; 0 is those of Data.
	Sent int64
	// Err, unless it is nil, is why the protocol can't read this one: it is refused
	// and counted, and the others of the request are kept.
	Err *Error

	// Amend, unless it is nil, is called with the profile when it is decoded and
	// before anything is made of it, to put right what the protocol knows better.
	// It may change what is not of single samples, and remove sample types.
	Amend func(p *profile.Profile)

	// Labels identify the process, in any order; see store.LabelService and
	// the names after it. Names that are no label names are mended, not refused.
	Labels []store.Label
	// Kind is the kind of profile; "" is told by the sample types.
	Kind string
	// Time is the start of the collection, in ns since 1970 UTC, Duration its
	// length in ns. 0 is what the profile says, or else the time of arrival.
	Time, Duration int64
	// Key stands for the content, so that a profile that is sent again is known
	// again: those with the same key, labels and time are one. "" is the content;
	// then a profile whose time isn't known has the time of arrival, and is another
	// one each time that it is sent.
	Key string
	// Cumulative are the sample types that count from the start of the process:
	// what is kept is the difference from the profile before, of the same
	// labels. The first one is kept for later and counts nothing, except for
	// the sample types that are not named here.
	Cumulative []string
	// Sender tells processes with the same labels apart whose profiles count, where
	// the protocol knows; "" leaves it to what they count.
	Sender string

	// Known is set by Receive, when it returns nil, if the profile was there already.
	Known bool
}

// DivideSent says of pushes that came in one message of n bytes how many each came in:
// the same for all.
func DivideSent(pushes []Push, n int) {
	for i := range pushes {
		pushes[i].Sent = int64((i+1)*n/len(pushes) - i*n/len(pushes))
	}
}

// A Receiver checks pushes and puts them into a store.
type Receiver interface {
	// Receive keeps pushes. They are durable when it returns nil. Errors are of
	// type *Error. protocol names the sender's for counters and logs. Data is
	// not referred to after Receive returns.
	Receive(ctx context.Context, protocol string, pushes ...Push) error
	// Limits are what a request may have.
	Limits() Limits
}

// Limits bound requests. The protocols see to BodyBytes while they read.
type Limits struct {
	BodyBytes int64 // of a request as it is sent, and decompressed where all of it is compressed
	Pushes    int   // profiles in one request

	// Memory is where what is read comes from, up to CallMemory bytes for one
	// request; the server sees to it for what is pushed. nil counts nothing.
	Memory     *Memory
	CallMemory int64
}
