package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/hone-go/hone/internal/store"
	"github.com/hone-go/hone/profile"
)

// Config is what a Hub needs and allows. Zero numbers stand for the defaults
// that DefaultConfig tells; negative ones are no limit where that says so.
type Config struct {
	Store store.Store  `toml:"-"`
	Log   *slog.Logger `toml:"-"` // nil logs nothing

	// Allow, unless it is nil, tells whether who sends may write a service. It
	// is called before anything else is done with a push.
	Allow func(ctx context.Context, service string) *Error `toml:"-"`
	// Memory is what requests share; nil is one of their own.
	Memory *Memory `toml:"-"`
	// Now is the time; nil is time.Now.
	Now func() time.Time `toml:"-"`

	MaxBody     int64 `toml:"max_body"`     // bytes of a request
	MaxPushes   int   `toml:"max_profiles"` // profiles in a request
	MaxDecoded  int64 `toml:"max_decoded"`  // bytes of a profile when decompressed
	MaxMemory   int64 `toml:"max_memory"`   // bytes of memory for a request: sent, decompressed and decoded
	MaxLabels   int   `toml:"max_labels"`   // labels of a profile, those of hone included
	MaxName     int   `toml:"max_name"`     // bytes in the name of a label; longer ones are cut, see shorten
	MaxValue    int   `toml:"max_value"`    // bytes in the value of a label, likewise
	MaxText     int   `toml:"max_text"`     // bytes of any other name in a profile, likewise
	MaxParallel int64 `toml:"max_parallel"` // profiles being decoded and stored at a time

	// Skew is how far in the future a profile may begin before its time is not
	// believed: it gets the time of arrival.
	Skew time.Duration `toml:"-"`

	// Rates, of all services together and of each; negative is no limit. What is
	// above them is refused.
	Rate        Rate `toml:"rate"`
	ServiceRate Rate `toml:"service_rate"`

	// Series that had a profile within SeriesAge are active. When there are
	// more, of all services or of one, the instance of new ones becomes "other";
	// where that doesn't help, they are refused. Negative is no limit.
	MaxSeries        int           `toml:"max_series"`
	MaxServiceSeries int           `toml:"max_service_series"`
	SeriesAge        time.Duration `toml:"-"`

	// DeltaBytes bounds the memory for the last profiles of series with
	// cumulative sample types. The series that was idle longest is forgotten.
	DeltaBytes int64 `toml:"delta_bytes"`
}

// A Rate is how much may come in per second. Ten seconds' worth may come at once.
type Rate struct {
	Bytes    float64 `toml:"bytes"` // as sent
	Profiles float64 `toml:"profiles"`
}

// DefaultConfig returns the limits that hold when nothing is said.
func DefaultConfig() Config {
	return Config{
		MaxBody: 64 << 20, MaxPushes: 10_000, MaxDecoded: 256 << 20, MaxMemory: DefaultCallMemory,
		MaxLabels: 32, MaxName: 128, MaxValue: 1024, MaxText: 4096, MaxParallel: 64,
		Skew: 5 * time.Minute,
		Rate: Rate{-1, -1}, ServiceRate: Rate{-1, -1},
		MaxSeries: 200_000, MaxServiceSeries: 20_000, SeriesAge: time.Hour,
		DeltaBytes: 256 << 20,
	}
}

// Check returns what can't be meant.
func (c Config) Check() error {
	var errs []error
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"max_body", c.MaxBody}, {"max_profiles", int64(c.MaxPushes)}, {"max_decoded", c.MaxDecoded}, {"max_memory", c.MaxMemory}, {"max_labels", int64(c.MaxLabels)},
		{"max_name", int64(c.MaxName)}, {"max_value", int64(c.MaxValue)}, {"max_text", int64(c.MaxText)}, {"max_parallel", c.MaxParallel}, {"delta_bytes", c.DeltaBytes},
		{"skew", int64(c.Skew)}, {"series_age", int64(c.SeriesAge)},
	} {
		if n.value < 0 {
			errs = append(errs, fmt.Errorf("%s is %d: it can't be negative", n.name, n.value))
		}
	}
	if c.MaxLabels == 1 {
		errs = append(errs, errors.New("max_labels is 1: every profile has two, service and kind"))
	}
	return errors.Join(errs...)
}

func (c Config) withDefaults() Config {
	d := DefaultConfig()
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.MaxBody = cmp.Or(c.MaxBody, d.MaxBody)
	c.MaxPushes = cmp.Or(c.MaxPushes, d.MaxPushes)
	c.MaxDecoded = cmp.Or(c.MaxDecoded, d.MaxDecoded)
	c.MaxMemory = cmp.Or(c.MaxMemory, d.MaxMemory)
	if c.Memory == nil {
		c.Memory = NewMemory(0)
	}
	c.MaxLabels = cmp.Or(c.MaxLabels, d.MaxLabels)
	c.MaxName = cmp.Or(c.MaxName, d.MaxName)
	c.MaxValue = cmp.Or(c.MaxValue, d.MaxValue)
	c.MaxText = cmp.Or(c.MaxText, d.MaxText)
	c.MaxParallel = cmp.Or(c.MaxParallel, d.MaxParallel)
	c.Skew = cmp.Or(c.Skew, d.Skew)
	c.Rate.Bytes = cmp.Or(c.Rate.Bytes, d.Rate.Bytes)
	c.Rate.Profiles = cmp.Or(c.Rate.Profiles, d.Rate.Profiles)
	c.ServiceRate.Bytes = cmp.Or(c.ServiceRate.Bytes, d.ServiceRate.Bytes)
	c.ServiceRate.Profiles = cmp.Or(c.ServiceRate.Profiles, d.ServiceRate.Profiles)
	c.MaxSeries = cmp.Or(c.MaxSeries, d.MaxSeries)
	c.MaxServiceSeries = cmp.Or(c.MaxServiceSeries, d.MaxServiceSeries)
	c.SeriesAge = cmp.Or(c.SeriesAge, d.SeriesAge)
	c.DeltaBytes = cmp.Or(c.DeltaBytes, d.DeltaBytes)
	return c
}

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

// Hub is the Receiver of a server: it checks what comes in over all protocols,
// gives it its labels, kind, time and identity, turns counters into
// differences, and keeps account of what was refused or changed.
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

// Config returns the limits in force.
func (h *Hub) Config() Config { return h.cfg }

// Limits implements Receiver.
func (h *Hub) Limits() Limits {
	return Limits{BodyBytes: h.cfg.MaxBody, Pushes: h.cfg.MaxPushes, Memory: h.cfg.Memory, CallMemory: h.cfg.MaxMemory}
}

// Receive implements Receiver. Of several pushes the good ones are kept even if
// others are refused; the error is then that of the others, one that asks to try
// again before one that doesn't.
func (h *Hub) Receive(ctx context.Context, protocol string, pushes ...Push) error {
	began := h.cfg.Now()
	defer func() { h.took(protocol, h.cfg.Now().Sub(began)) }()
	if len(pushes) > h.cfg.MaxPushes {
		err := Errorf(TooLarge, "%d profiles in one request, the limit is %d", len(pushes), h.cfg.MaxPushes)
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

// An arrival is a push on its way into the store.
type arrival struct {
	*Push
	service string
	sent    store.Labels // mended; without a kind where the profile tells it
	rec     store.Record
	own     store.Labels // of its series as sent; rec.Labels may be those of a common one
	delta   *counter
	decoder *profile.Decoder // whose memory rec.Profile is, or nil
	share   *Share           // where its memory comes from
	err     *Error
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
					arrivals[i].err = &Error{Reason: Unavailable, RetryAfter: time.Second, Err: fmt.Errorf("no decoder became free in time: %w", err)}
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
	labels, cut, err := h.cfg.mend(a.Labels, peerOf(ctx))
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
		return Errorf(TooLarge, "the profile has %d bytes, the limit is %d", len(a.Data), h.cfg.MaxBody)
	}
	return h.rates.take(now, a.service, int(a.bytes()))
}

// bytes returns how many bytes a push came in.
func (p *Push) bytes() int64 { return cmp.Or(p.Sent, int64(len(p.Data))) }

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
	cumulative := false
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
			cumulative = cumulative || a.err == nil
		}
	}
	if cumulative {
		held := h.deltas.lock(arrivals)
		defer h.deltas.unlock(held)
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
	}
	commit(arrivals)
}

// takeStoring takes what a store needs while it keeps a profile. A stack that compresses
// to a few bytes can have thousands of frames that the store has to tell apart, so this
// is bounded by what was sent, like the profile itself.
func takeStoring(share *Share, a *arrival) *Error {
	const (
		perFrame, perSample = 48, 32 // about what the store's tables take while they grow
		most, expansion     = 128 << 20, 64
	)
	p := a.rec.Profile
	n := int64(perFrame*len(p.Frames) + perSample*p.NumSamples())
	if limit := most + expansion*a.bytes(); n > limit {
		return Errorf(TooLarge, "the profile's %d samples have %d frames together, which take %d bytes of memory to store: the limit is %d for the %d bytes sent; send fewer samples or shorter stacks",
			p.NumSamples(), len(p.Frames), n, limit, a.bytes())
	}
	var refused *Error
	errors.As(share.Take(n), &refused)
	return refused
}

// storeError returns what a Store's error means to who sends.
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
			p, refused = nil, Errorf(Malformed, "the profile can't be decoded: %v", r)
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
