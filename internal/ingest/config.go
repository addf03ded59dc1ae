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
