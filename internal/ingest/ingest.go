// Package ingest receives profiles, checks them and puts them into a store. Each
// package below it implements one wire protocol: it turns requests into pushes
// for a Receiver, and the Receiver's errors into answers of that protocol.
package ingest

import (
	"context"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// A Push is one profile that was sent. The protocol has translated its label names and
// its units of time into those of hone.
type Push struct {
	// Data is the profile as it was sent, in any format that profile.Decode
	// reads. If Profile is not nil, it is used instead.
	Data    []byte
	Profile *profile.Profile
	// Parse, unless it is nil, decodes Data instead of profile.Decode. It keeps
	// within the limits.
	Parse func(data []byte, lim profile.Limits) (*profile.Profile, error)

	// Sent is the size in bytes that it had on the wire, for rates and counters; 0
	// stands for the size of Data.
	Sent int64
	// Err, unless it is nil, says why the protocol couldn't read this profile. It is
	// refused and counted; the others of the request are kept.
	Err *Error

	// Amend, unless it is nil, is called with the decoded profile before anything else
	// uses it, so that the protocol can correct it. It may change everything but the
	// samples, and may remove sample types.
	Amend func(p *profile.Profile)

	// Labels identify the process, in any order; see store.LabelService and
	// the names after it. Invalid names are changed to valid ones, not refused.
	Labels []store.Label
	// Kind is the kind of profile. If it is "", KindOf tells it.
	Kind string
	// Time is the start of the collection, in ns since 1970 UTC, and Duration its
	// length in ns. 0 stands for what the profile says. If that has no time either,
	// the time is that of the arrival.
	Time, Duration int64
	// Key identifies the content, so that a profile is kept once even if it is sent
	// again: profiles with the same key, labels and time are the same one. With "" the
	// content itself is the key. A profile without a time then gets the time of its
	// arrival, so it counts as a new one each time that it is sent.
	Key string
	// Cumulative are the sample types that count from the start of the process. The
	// store gets their difference from the previous profile with the same labels. Of
	// the first such profile it gets only the other sample types.
	Cumulative []string
	// Sender tells processes with the same labels apart, if the protocol can, so that
	// their cumulative profiles aren't subtracted from each other. With "" they are
	// told apart by the values that they count.
	Sender string

	// Known is set by Receive, if it returns nil, when the profile was in the store
	// already.
	Known bool
	// ID is set by Receive, if it returns nil, to the id of the record in the store. It is
	// zero if nothing was stored, as with a difference that has no values.
	ID store.ID
}

// DivideSent sets Sent of pushes that came in one message of n bytes, to the same size
// for each.
func DivideSent(pushes []Push, n int) {
	for i := range pushes {
		pushes[i].Sent = int64((i+1)*n/len(pushes) - i*n/len(pushes))
	}
}

// A Receiver checks pushes and puts them into a store.
type Receiver interface {
	// Receive keeps pushes. They are durable when it returns nil. Errors are of
	// type *Error. protocol is the name of the sender's protocol, for counters and
	// logs. Receive keeps no reference to Data.
	Receive(ctx context.Context, protocol string, pushes ...Push) error
	// Limits returns the limits of a request.
	Limits() Limits
}

// Limits of a request. The protocols enforce BodyBytes while they read.
type Limits struct {
	BodyBytes int64 // size of a request as sent and, if all of it is compressed, decompressed
	Pushes    int   // profiles in one request

	// Memory is what reading a request takes memory from, up to CallMemory bytes.
	// For pushes the server does that. With nil nothing is counted.
	Memory     *Memory
	CallMemory int64
}
