package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/hone-go/hone/internal/store"
)

// Config is what a Hub needs and allows. A number that is 0 stands for the default, see
// DefaultConfig. A negative number means no limit, for the fields that say so.
type Config struct {
	Store store.Store  `toml:"-"`
	Log   *slog.Logger `toml:"-"` // nil logs nothing

	// Allow, unless it is nil, returns an error if the sender may not write a service.
	// It is called first for each push.
	Allow func(ctx context.Context, service string) *Error `toml:"-"`
	// Memory is the memory that requests share; with nil the Hub makes one.
	Memory *Memory `toml:"-"`
	// Now is the time; nil is time.Now.
	Now func() time.Time `toml:"-"`

	MaxBody     int64 `toml:"max_body"`     // bytes of a request
	MaxPushes   int   `toml:"max_profiles"` // profiles in a request
	MaxDecoded  int64 `toml:"max_decoded"`  // bytes of a profile when decompressed
	MaxMemory   int64 `toml:"max_memory"`   // bytes of memory for a request: sent, decompressed and decoded
	MaxLabels   int   `toml:"max_labels"`   // labels of a profile, those of hone included
	MaxName     int   `toml:"max_name"`     // bytes of a label's name; longer ones are cut, see shorten
	MaxValue    int   `toml:"max_value"`    // bytes of a label's value; longer ones are cut
	MaxText     int   `toml:"max_text"`     // bytes of any other name in a profile; longer ones are cut
	MaxParallel int64 `toml:"max_parallel"` // profiles that are decoded and stored at the same time

	// Skew is how far in the future a profile may begin. One that begins later gets the
	// time of its arrival.
	Skew time.Duration `toml:"-"`

	// Rate limits all services together, ServiceRate each of them; negative means no
	// limit. Profiles above a rate are refused.
	Rate        Rate `toml:"rate"`
	ServiceRate Rate `toml:"service_rate"`

	// MaxSeries and MaxServiceSeries limit the active series, of all services and of
	// each. A series is active if it had a profile within SeriesAge. Above the limit,
	// the instance of a new series becomes "other"; if that is not enough, its profiles
	// are refused. Negative means no limit.
	MaxSeries        int           `toml:"max_series"`
	MaxServiceSeries int           `toml:"max_service_series"`
	SeriesAge        time.Duration `toml:"-"`

	// DeltaBytes limits the memory for the last profiles of series with cumulative
	// sample types. Above it, the series that was idle longest is forgotten.
	DeltaBytes int64 `toml:"delta_bytes"`
}

// A Rate limits what is received per second. As much as ten seconds allow may come at
// once.
type Rate struct {
	Bytes    float64 `toml:"bytes"` // as sent
	Profiles float64 `toml:"profiles"`
}

// DefaultConfig returns the default limits.
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

// Check returns an error if a value is invalid.
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
			errs = append(errs, fmt.Errorf("%s is %d; it can't be negative", n.name, n.value))
		}
	}
	if c.MaxLabels == 1 {
		errs = append(errs, errors.New("max_labels is 1, but every profile has two labels: service and kind"))
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
