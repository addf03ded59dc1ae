package cloudprofiler

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"time"

	"github.com/hone-go/hone/internal/ingest/cloudprofiler/profilerpb"
)

// Config says how agents are served. The zero value stands for the defaults.
type Config struct {
	// Key is a secret of KeySize bytes; see LoadKey. Agents that were asked for
	// a profile before the server was started again can send it if the key is
	// still the same. Without a key there is a new one.
	Key []byte

	// The Schedule is of all kinds of profiles, Kinds of single ones in hone's
	// words, in which 0 is what Schedule says.
	Schedule
	Kinds map[string]Schedule

	MaxPoll               time.Duration // how long a poll waits until its agent has to ask again; default 10 minutes
	MaxDeployments        int           // default 10,000
	MaxPolls              int           // that wait at a time; default 20,000
	MaxPollsPerDeployment int           // default 1,000
	MaxSessions           int           // profiles that were asked for and can still come; default 100,000
	Expiry                time.Duration // how long after its end a profile may come; default 1 hour
	RestartDelay          time.Duration // how long agents stay away, about, when the server ends; default 8 s

	// MayWrite and MayRead return an error of type *ingest.Error if the sender
	// of a request may not write or read a service. Without them all may.
	MayWrite, MayRead func(ctx context.Context, service string) error

	Log *slog.Logger // default slog.Default()

	longest time.Duration // of the intervals, with the profile
}

// A Schedule says how often, and for how long, profiles of one kind are taken in a
// deployment: one service in one version and zone.
type Schedule struct {
	Interval time.Duration // between two profiles, from any instance; default 1 minute, negative: never
	Duration time.Duration // of a profile, for kinds that take time; default 10 s
}

// MinInterval is the least time between two profiles: agents ask again as soon
// as they have sent one.
const MinInterval = 10 * time.Millisecond

// Check returns an error if the configuration is invalid.
func (c Config) Check() error {
	_, err := c.withDefaults()
	return err
}

// DefaultConfig returns the defaults of what a server's configuration can change.
func DefaultConfig() Config {
	return Config{Schedule: Schedule{Interval: time.Minute, Duration: 10 * time.Second}, MaxPoll: 10 * time.Minute}
}

func (c Config) withDefaults() (Config, error) {
	if len(c.Key) == 0 {
		c.Key = make([]byte, KeySize)
		rand.Read(c.Key)
	}
	if len(c.Key) != KeySize {
		return c, fmt.Errorf("the key that signs names of profiles has %d bytes instead of %d", len(c.Key), KeySize)
	}
	d := DefaultConfig()
	c.Interval = cmp.Or(c.Interval, d.Interval)
	c.Duration = cmp.Or(c.Duration, d.Duration)
	c.MaxPoll = cmp.Or(c.MaxPoll, d.MaxPoll)
	c.MaxDeployments = cmp.Or(c.MaxDeployments, 10_000)
	c.MaxPolls = cmp.Or(c.MaxPolls, 20_000)
	c.MaxPollsPerDeployment = cmp.Or(c.MaxPollsPerDeployment, 1000)
	c.MaxSessions = cmp.Or(c.MaxSessions, 100_000)
	c.Expiry = cmp.Or(c.Expiry, time.Hour)
	c.RestartDelay = cmp.Or(c.RestartDelay, 8*time.Second)
	c.Log = cmp.Or(c.Log, slog.Default())
	everyone := func(context.Context, string) error { return nil }
	if c.MayWrite == nil {
		c.MayWrite = everyone
	}
	if c.MayRead == nil {
		c.MayRead = everyone
	}
	known := map[string]bool{}
	for t, kind := range kinds {
		known[kind] = true
		s := c.schedule(t)
		if s.Interval >= 0 && s.Interval < MinInterval {
			return c, fmt.Errorf("the interval of %s profiles is %v; it must be at least %v", kind, s.Interval, MinInterval)
		}
		if s.Duration < 0 || s.Duration > 10*time.Minute {
			return c, fmt.Errorf("the duration of %s profiles is %v; it must be 0 to 10m", kind, s.Duration)
		}
		c.longest = max(c.longest, s.Interval+s.Duration)
	}
	for kind := range c.Kinds {
		if !known[kind] {
			return c, fmt.Errorf("unknown kind %q of profiles in Cloud Profiler", kind)
		}
	}
	if c.MaxPoll < MinInterval {
		return c, fmt.Errorf("requests of agents wait for at most %v; it must be at least %v", c.MaxPoll, MinInterval)
	}
	for name, n := range map[string]int64{"MaxDeployments": int64(c.MaxDeployments), "MaxPolls": int64(c.MaxPolls),
		"MaxPollsPerDeployment": int64(c.MaxPollsPerDeployment), "MaxSessions": int64(c.MaxSessions), "Expiry": int64(c.Expiry), "RestartDelay": int64(c.RestartDelay)} {
		if n < 0 {
			return c, fmt.Errorf("%s is %d; it can't be negative", name, n)
		}
	}
	return c, nil
}

// instant are the types that are of a moment.
var instant = map[profileType]bool{
	profilerpb.ProfileType_HEAP:      true,
	profilerpb.ProfileType_THREADS:   true,
	profilerpb.ProfileType_PEAK_HEAP: true,
}

func (c *Config) schedule(t profileType) Schedule {
	s := c.Kinds[kinds[t]]
	s.Interval = cmp.Or(s.Interval, c.Interval)
	s.Duration = cmp.Or(s.Duration, c.Duration)
	if instant[t] {
		s.Duration = 0
	}
	return s
}
