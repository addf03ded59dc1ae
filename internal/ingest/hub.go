package ingest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

const (
	// chunk is how many profiles of one request are decoded and then stored in
	// one go, at most: their memory is in use at the same time.
	chunk = 16

	// smallMemory bounds the memory of a profile that a decoder of the pool is for, and
	// expandTo that of others, unless much more was sent.
	smallMemory = 32 << 20
	expandTo    = 64 << 20

	// maxKept is what a decoder may keep for the next profile, which is nobody's
	// memory in between.
	maxKept = 4 << 20

	// A profile that claims to last longer than this doesn't tell its duration.
	maxDuration = 31 * 24 * time.Hour
)

// smallLimits are the limits of the decoders that are used again and again. Columns can
// take ten times the bytes they come from: an empty string has two bytes in the profile.
var smallLimits = profile.Limits{
	Bytes: 16 << 20, TextBytes: 16 << 20, Memory: smallMemory,
	Samples: 1 << 18, Frames: 1 << 22, Locations: 1 << 18, Lines: 1 << 19, Functions: 1 << 18, Strings: 1 << 19, Labels: 1 << 18,
}

// A Hub is the Receiver of a server. It checks the profiles of all protocols, completes
// their labels, kind, time and identity, turns cumulative values into differences, and
// counts what was refused or changed.
type Hub struct {
	cfg      Config
	small    profile.Limits
	decoders sync.Pool // of *profile.Decoder, with the limits small
	slots    *semaphore.Weighted
	rates    rates
	series   series
	deltas   deltas
	arrivals arrivals
	account
}

// New returns a Hub.
func New(cfg Config) *Hub {
	cfg = cfg.withDefaults()
	h := &Hub{
		cfg:    cfg,
		slots:  semaphore.NewWeighted(max(cfg.MaxParallel, chunk)),
		rates:  newRates(cfg),
		series: newSeries(cfg),
		deltas: newDeltas(cfg.DeltaBytes),
	}
	h.account.start(cfg)
	h.small = smallLimits
	h.small.Bytes, h.small.TextBytes = min(h.small.Bytes, cfg.MaxDecoded), min(h.small.TextBytes, cfg.MaxDecoded)
	h.decoders.New = func() any { return &profile.Decoder{Limits: h.small} }
	return h
}

func (h *Hub) decodeLimits() profile.Limits {
	lim := profile.DefaultLimits()
	lim.Bytes, lim.TextBytes = h.cfg.MaxDecoded, min(lim.TextBytes, h.cfg.MaxDecoded)
	lim.Memory, lim.ExpandTo = h.cfg.MaxMemory, expandTo
	return lim
}

// Config returns the configuration with its defaults.
func (h *Hub) Config() Config { return h.cfg }

// Limits implements Receiver.
func (h *Hub) Limits() Limits {
	return Limits{BodyBytes: h.cfg.MaxBody, Pushes: h.cfg.MaxPushes, Memory: h.cfg.Memory, CallMemory: h.cfg.MaxMemory}
}

// Receive implements Receiver. If some of several pushes are refused, the others are
// kept. The error is then one of the refused ones: one that asks to try again, if there
// is such.
func (h *Hub) Receive(ctx context.Context, protocol string, pushes ...Push) error {
	began := h.cfg.Now()
	defer func() { h.took(protocol, h.cfg.Now().Sub(began)) }()
	if len(pushes) > h.cfg.MaxPushes {
		err := Errorf(TooLarge, "the request has %d profiles; the limit is %d", len(pushes), h.cfg.MaxPushes)
		for range pushes {
			h.refused(protocol, "", err)
		}
		return err
	}
	var worst *Error
	for rest := pushes; len(rest) > 0; {
		n := min(len(rest), chunk)
		for i, err := range h.receive(ctx, protocol, began, rest[:n]) {
			if err == nil {
				continue
			}
			if len(pushes) > 1 {
				err = &Error{err.Reason, err.RetryAfter, fmt.Errorf("profile %d of %d: %w", len(pushes)-len(rest)+i+1, len(pushes), err.Err)}
			}
			if worst == nil || urgency(err) > urgency(worst) {
				worst = err
			}
		}
		rest = rest[n:]
	}
	if worst != nil {
		return worst
	}
	return nil
}

// urgency orders errors by how much sending again helps.
func urgency(e *Error) int {
	switch e.Reason {
	case Unavailable:
		return 3
	case Limited:
		return 2
	case Internal:
		return 1
	}
	return 0
}

// receive handles up to chunk pushes and returns an error, or nil, for each.
func (h *Hub) receive(ctx context.Context, protocol string, now time.Time, pushes []Push) []*Error {
	arrivals := make([]arrival, len(pushes))
	admitted := int64(0)
	for i := range pushes {
		a := &arrivals[i]
		a.Push = &pushes[i]
		if a.err = h.admit(ctx, now, a); a.err == nil {
			admitted++
		}
	}
	if admitted > 0 {
		share := ShareOf(ctx)
		if share == nil { // a pull
			share = h.cfg.Memory.Push(ctx, h.cfg.MaxMemory)
		}
		var err error
		if !share.hasTurn() { // those that have all slots may wait for its memory
			if err = h.slots.Acquire(ctx, admitted); err == nil {
				defer h.slots.Release(admitted) // a store may panic
			}
		}
		if err != nil {
			for i := range arrivals {
				if arrivals[i].err == nil {
					arrivals[i].err = &Error{Reason: Unavailable, RetryAfter: time.Second, Err: fmt.Errorf("no decoder became free in time; try again: %w", err)}
				}
			}
		} else {
			sent := share.Used()
			defer func() { share.Give(share.Used() - sent) }()
			h.keep(ctx, protocol, now, share, arrivals)
		}
	}
	errs := make([]*Error, len(arrivals))
	for i := range arrivals {
		a := &arrivals[i]
		errs[i] = a.err
		if a.err != nil {
			h.refused(protocol, a.service, a.err)
		} else {
			h.received(protocol, a.bytes(), a.Known)
		}
	}
	return errs
}

// admit checks what can be checked before a profile is decoded.
func (h *Hub) admit(ctx context.Context, now time.Time, a *arrival) *Error {
	labels, cut, err := h.cfg.normalize(a.Labels, peerOf(ctx))
	if err != nil {
		return err
	}
	a.sent, a.service = labels, labels.Get(store.LabelService)
	if h.cfg.Allow != nil {
		if err := h.cfg.Allow(ctx, a.service); err != nil {
			return err
		}
	}
	if a.Err != nil {
		return a.Err
	}
	h.degraded(LabelCut, a.service, cut)
	if int64(len(a.Data)) > h.cfg.MaxBody {
		return Errorf(TooLarge, "the profile has %d bytes; the limit is %d", len(a.Data), h.cfg.MaxBody)
	}
	return h.rates.take(now, a.service, int(a.bytes()))
}

// keep decodes arrivals and puts them into the store.
func (h *Hub) keep(ctx context.Context, protocol string, now time.Time, share *Share, arrivals []arrival) {
	defer func() {
		for i := range arrivals {
			if d := arrivals[i].decoder; d != nil && d.Kept() <= maxKept {
				d.Limits.Budget = nil
				h.decoders.Put(d)
			}
		}
	}()
	var keys []store.ID // of the series of arrivals that count
	for i := range arrivals {
		a := &arrivals[i]
		a.share = share
		if a.err == nil {
			a.err = h.record(ctx, now, a)
		}
		if a.err == nil {
			a.err = takeStoring(share, a)
		}
		if a.err == nil && len(a.Cumulative) > 0 {
			// Before counters are locked: whoever has the memory may wait for those.
			errors.As(share.Take(differenceBytes(a.rec.Profile, len(a.Cumulative))), &a.err)
			if a.err == nil {
				if keys == nil {
					keys = make([]store.ID, len(arrivals))
				}
				keys[i] = seriesKey(a)
			}
		}
	}
	if keys != nil {
		counters, held := h.deltas.lock(keys)
		defer h.deltas.unlock(held)
		for i, c := range counters {
			arrivals[i].delta = c
		}
	}
	records := make([]store.Record, 0, len(arrivals))
	of := make([]*arrival, 0, len(arrivals))
	for i := range arrivals {
		a := &arrivals[i]
		if a.err != nil {
			continue
		}
		if a.delta != nil {
			what, stored := a.delta.subtract(&a.rec, a.Cumulative)
			h.degraded(what, a.service, 1)
			if a.delta.next.shared && !a.delta.told {
				a.delta.told = true
				h.cfg.Log.Warn("several processes send profiles with the same labels: give each its own instance", "labels", a.own.String(), "protocol", protocol)
			}
			if !stored {
				a.Known = what == Unchanged
				continue
			}
		}
		records, of = append(records, a.rec), append(of, a)
	}
	var err error
	if len(records) > 0 {
		err = h.cfg.Store.Put(ctx, records)
	}
	switch {
	case len(records) > 1 && (errors.Is(err, store.ErrExpired) || errors.Is(err, store.ErrVaried)):
		for i, a := range of { // the others are not at fault
			a.err = storeError(h.cfg.Store.Put(ctx, records[i:i+1]))
		}
	case err != nil:
		for _, a := range of {
			a.err = storeError(err)
		}
	}
	for i, a := range of {
		a.Known = a.err == nil && records[i].Known
		if a.err == nil {
			a.ID = records[i].ID
		}
	}
	commit(arrivals)
}

// storeError returns what a Store's error means to the sender.
func storeError(err error) *Error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrExpired):
		return &Error{Reason: Expired, Err: err}
	case errors.Is(err, store.ErrVaried):
		return &Error{Reason: Limited, RetryAfter: time.Hour, Err: err}
	case errors.Is(err, store.ErrFull), errors.Is(err, store.ErrUnavailable):
		return &Error{Reason: Unavailable, RetryAfter: 30 * time.Second, Err: err}
	case errors.Is(err, store.ErrClosed):
		return &Error{Reason: Unavailable, RetryAfter: 5 * time.Second, Err: err}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &Error{Reason: Unavailable, RetryAfter: time.Second, Err: err}
	}
	return &Error{Reason: Internal, Err: fmt.Errorf("the store: %w", err)}
}

// decode returns the profile of a push, which is valid until the arrival's
// decoder is given back.
func (h *Hub) decode(ctx context.Context, a *arrival) (p *profile.Profile, refused *Error) {
	if a.Profile != nil {
		return a.Profile, nil
	}
	defer func() {
		// Formats that are not protobuf are decoded by others' code, and a pull
		// has no HTTP server above it that would catch this.
		if r := recover(); r != nil {
			a.decoder = nil
			h.cfg.Log.Error("decoding panicked", "service", a.service, "bytes", len(a.Data), "panic", r, "stack", string(debug.Stack()))
			p, refused = nil, Errorf(Malformed, "can't decode the profile: %v", r)
		}
	}()
	p, err := h.decodeSmall(a)
	var limit *profile.LimitError
	if errors.As(err, &limit) && limit.Limit != h.cfg.MaxDecoded {
		lim := h.decodeLimits()
		lim.Budget = a.share
		if a.Parse != nil {
			p, err = a.Parse(a.Data, lim)
		} else {
			p, err = profile.DecodeBytes(a.Data, lim)
		}
	}
	var noMemory *Error
	switch {
	case errors.As(err, &noMemory):
		return nil, noMemory
	case errors.As(err, &limit):
		return nil, &Error{Reason: TooLarge, Err: err}
	case err != nil:
		return nil, &Error{Reason: Malformed, Err: err}
	}
	return p, nil
}

// decodeSmall decodes a push within the limits of those that many are decoded of
// at a time.
func (h *Hub) decodeSmall(a *arrival) (*profile.Profile, error) {
	if a.Parse != nil {
		lim := h.small
		lim.Budget = a.share
		return a.Parse(a.Data, lim)
	}
	a.decoder = h.decoders.Get().(*profile.Decoder)
	a.decoder.Limits.Budget = a.share
	return a.decoder.Decode(a.Data)
}

// record decodes a push and makes its record.
func (h *Hub) record(ctx context.Context, now time.Time, a *arrival) *Error {
	p, refused := h.decode(ctx, a)
	if refused != nil {
		return refused
	}
	if a.Amend != nil {
		a.Amend(p)
	}
	if shortenNames(p, h.cfg.MaxText) {
		h.degraded(NameCut, a.service, 1)
	}
	if err := check(p); err != nil {
		return err
	}
	kind := a.Kind
	if kind == "" {
		kind = a.sent.Get(store.LabelKind)
	}
	if kind == "" {
		kind = strings.Clone(KindOf(p)) // a decoder's memory
	}
	labels := a.sent
	if labels.Get(store.LabelKind) != kind {
		kind = shorten(cleanText(kind), h.cfg.MaxValue)
		var err error
		if labels, err = store.NewLabels(append(labels[:len(labels):len(labels)], store.Label{Name: store.LabelKind, Value: kind})...); err != nil {
			return &Error{Reason: Malformed, Err: err}
		}
	}
	a.rec = store.Record{Labels: labels, Profile: p, Time: a.Time, Duration: a.Duration}
	r := &a.rec
	if r.Duration == 0 {
		r.Duration = p.DurationNanos
	}
	if r.Duration < 0 || r.Duration > int64(maxDuration) {
		h.degraded(Clock, a.service, 1)
		r.Duration = 0
	}
	if r.Time == 0 {
		r.Time = p.TimeNanos
	}
	if r.Time > now.Add(h.cfg.Skew).UnixNano() {
		h.degraded(Clock, a.service, 1)
		r.Time = 0
	}
	switch {
	case r.Time != 0:
		r.ID = identity(a)
	case a.Key != "":
		// Whoever names it may send it again.
		r.ID = identity(a)
		r.Time = h.arrivals.time(r.ID, now.UnixNano()) - r.Duration
	default:
		r.Time = h.arrivals.next(now.UnixNano()) - r.Duration
		r.ID = identity(a)
	}
	// Identity and differences are by the labels as they were sent, whatever
	// the number of series makes of them.
	a.own = labels
	r.Labels, refused = h.series.admit(now, labels)
	if r.Labels.Get(store.LabelInstance) != labels.Get(store.LabelInstance) {
		h.degraded(OtherInstance, a.service, 1)
	}
	return refused
}
