package agent

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Config says what a program records and where it sends it. The zero value is
// ready for use. Start copies it.
//
// The environment variables HONE_SERVER, HONE_SERVICE, HONE_VERSION, HONE_ZONE,
// HONE_INSTANCE and HONE_TOKEN, where they are set and not empty, override the
// fields of these names. So you can change them without building the program
// again.
type Config struct {
	// Server is the URL of hone serve; DefaultServer if empty. It may also be
	// "off": then Start returns an Agent that does nothing.
	Server string
	// Service is the program's name; the last element of its package path if
	// empty.
	Service string
	// Version is the version of the program, by which profiles are compared. If
	// empty, it is the main module's version or, without one, the revision that
	// was built.
	Version string
	// Zone is where the program runs; no default.
	Zone string
	// Instance identifies this process among those of the service; host name and
	// process ID if empty.
	Instance string
	// Labels are added to every profile. A name consists of letters, digits, "_",
	// "." and "-", and begins with a letter or "_".
	Labels map[string]string

	// Token is sent as "Authorization: Bearer TOKEN"; "" sends none.
	Token string
	// Client sends the profiles. Set it to use TLS settings of your own, for
	// example. The default uses the environment's proxy settings. The agent uses
	// a copy of it, with its own Timeout and CheckRedirect.
	Client *http.Client

	// Kinds are the kinds of profiles to record; nil is all of them. See Kind.
	Kinds []Kind
	// Period is how often each kind is recorded; 0 is a minute.
	Period time.Duration
	// CPUDuration and WallDuration are how long the CPU and wall profiles of
	// each period last; 0 is 10 s, or a sixth of the Period if that is less.
	CPUDuration, WallDuration time.Duration
	// WallSamples is how many times the stacks of all goroutines are sampled
	// within WallDuration; 0 is 5.
	WallSamples int
	// MutexFraction and BlockRate are the rates of mutex and block profiles. The
	// agent sets them for the whole process, with
	// runtime.SetMutexProfileFraction and runtime.SetBlockProfileRate, until it
	// is stopped. Good values for production are 100, which records one
	// contention in a hundred, and 1_000_000, which records each wait of a
	// millisecond or more, and shorter ones in proportion. With 0 the rate stays
	// as the program sets it: if it sets none, that kind of profile is empty and
	// not sent.
	MutexFraction, BlockRate int
	// MaxGoroutines is the largest number of goroutines for which goroutine,
	// goroutine leak and wall profiles are taken; 0 is 100,000.
	MaxGoroutines int

	// Budget limits the CPU time that the agent uses, in CPU seconds per second;
	// 0 is 0.01, which is 1 % of one CPU, however many the machine has. To stay
	// within it, the agent records kinds less often, the most expensive first.
	Budget float64

	// Triggers cause extra profiles when a threshold is exceeded.
	Triggers Triggers

	// SpoolDir is the directory where profiles wait while they can't be sent.
	// Several processes may share it. If empty, it is a directory for the
	// service and server below "hone/spool" in os.UserCacheDir.
	SpoolDir string
	// SpoolBytes limits the size of the spool; 0 is 64 MiB. When it is full, the
	// oldest profiles are dropped. A negative value turns the spool off:
	// profiles then wait in memory, up to 8 MiB.
	SpoolBytes int64
	// SpoolAge is how long a profile waits before it is dropped; 0 is a day.
	SpoolAge time.Duration

	// Logger logs failures; a repeated failure is logged once. If nil, nothing is
	// logged. Stats also has the last error.
	Logger *slog.Logger
}

// DefaultServer is the URL of a hone serve on this machine, at its default port.
const DefaultServer = "http://localhost:4600"

// A Kind is a kind of profile.
type Kind string

// The kinds of profiles. KindMutex and KindBlock record something once their
// rates are set, by Config or by the program. KindGoroutineLeak needs Go 1.27 or
// later and is ignored before. It is recorded at most once in ten minutes, since
// it forces a garbage collection. KindRequests counts what [CountRequests] and
// [BeginRequest] see.
const (
	KindCPU       Kind = "cpu"       // where CPU time goes
	KindWall      Kind = "wall"      // where elapsed time goes, including waiting, by state
	KindHeap      Kind = "heap"      // memory in use as of the last garbage collection
	KindAllocs    Kind = "allocs"    // memory allocated since the last profile
	KindMutex     Kind = "mutex"     // waiting that holders of locks caused since the last profile
	KindBlock     Kind = "block"     // waiting for locks and channels since the last profile
	KindGoroutine Kind = "goroutine" // stacks of all goroutines

	KindGoroutineLeak Kind = "goroutineleak" // goroutines that are blocked forever

	KindRequests Kind = "requests" // requests since the last profile, by endpoint
)

var allKinds = []Kind{KindCPU, KindWall, KindHeap, KindAllocs, KindMutex, KindBlock, KindGoroutine, KindGoroutineLeak, KindRequests}

// Triggers are thresholds; 0 turns one off. When one is exceeded, the agent takes
// an extra profile that shows why. Its label "trigger" names the threshold. The
// same trigger then takes no other profile until Cooldown has passed.
type Triggers struct {
	CPU        float64 // share of GOMAXPROCS, from 0 to 1, as in 0.8; takes a CPU profile with trigger=cpu
	HeapBytes  uint64  // size of all objects, including dead ones not yet collected; takes a heap profile with trigger=heap
	Goroutines int     // their number; takes a goroutine profile with trigger=goroutines

	Cooldown time.Duration // 0 is 10 minutes
	Check    time.Duration // how often thresholds are checked; 0 is 5 s
}

func (t Triggers) on() bool { return t.CPU > 0 || t.HeapBytes > 0 || t.Goroutines > 0 }

// labelName is what hone serve takes for the name of a label.
var labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.-]*$`)

// ownLabels are the names that Config.Labels may not have.
var ownLabels = []string{"service", "kind", "version", "zone", "instance", "trigger"}

// withDefaults fills in what is not set and checks the rest.
func (c Config) withDefaults() (Config, error) {
	for name, field := range map[string]*string{
		"HONE_SERVER": &c.Server, "HONE_SERVICE": &c.Service, "HONE_VERSION": &c.Version,
		"HONE_ZONE": &c.Zone, "HONE_INSTANCE": &c.Instance, "HONE_TOKEN": &c.Token,
	} {
		if v := os.Getenv(name); v != "" {
			*field = v
		}
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	setDefault(&c.Server, DefaultServer)
	setDefault(&c.Service, serviceOf(info.Path))
	setDefault(&c.Version, versionOf(info))
	if c.Instance == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "unknown"
		}
		c.Instance = host + ":" + strconv.Itoa(os.Getpid())
	}
	if c.Kinds == nil {
		c.Kinds = allKinds
	}
	setDefault(&c.Period, time.Minute)
	setDefault(&c.CPUDuration, min(10*time.Second, c.Period/6))
	setDefault(&c.WallDuration, min(10*time.Second, c.Period/6))
	setDefault(&c.WallSamples, 5)
	setDefault(&c.MaxGoroutines, 100_000)
	setDefault(&c.Budget, 0.01)
	setDefault(&c.Triggers.Cooldown, 10*time.Minute)
	setDefault(&c.Triggers.Check, 5*time.Second)
	setDefault(&c.SpoolBytes, 64<<20)
	setDefault(&c.SpoolAge, 24*time.Hour)
	if c.Logger == nil {
		c.Logger = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.Level(math.MaxInt)}))
	}
	return c, c.check()
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (c Config) check() error {
	u, err := url.Parse(c.Server)
	switch {
	case err != nil:
		return fmt.Errorf("server: %w", err)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("server: invalid address %q: use one like %s", c.Server, DefaultServer)
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return fmt.Errorf("server: invalid address %q: use only a host and a path", u.Redacted())
	}
	if strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("token: all characters must be printable ASCII")
	}
	for name, value := range map[string]string{"service": c.Service, "version": c.Version, "zone": c.Zone, "instance": c.Instance} {
		if !utf8.ValidString(value) {
			return fmt.Errorf("%s: %q is not UTF-8", name, value)
		}
	}
	for name, value := range c.Labels {
		switch {
		case !labelName.MatchString(name):
			return fmt.Errorf("invalid label %q: use letters, digits, _ . and -, and begin with a letter or _", name)
		case slices.Contains(ownLabels, name):
			return fmt.Errorf("label %q: the agent sets this label", name)
		case !utf8.ValidString(value):
			return fmt.Errorf("label %q: the value %q is not UTF-8", name, value)
		}
	}
	for _, k := range c.Kinds {
		if !slices.Contains(allKinds, k) {
			return fmt.Errorf("unknown kind %q (known: %q)", k, allKinds)
		}
	}
	for name, d := range map[string]time.Duration{
		"Period": c.Period, "CPUDuration": c.CPUDuration, "WallDuration": c.WallDuration, "SpoolAge": c.SpoolAge,
		"Triggers.Cooldown": c.Triggers.Cooldown, "Triggers.Check": c.Triggers.Check,
	} {
		if d < 0 {
			return fmt.Errorf("%s: %v is negative", name, d)
		}
	}
	if used := c.CPUDuration + c.WallDuration; used > c.Period {
		return fmt.Errorf("CPUDuration and WallDuration, together %v, do not fit into a Period of %v", used, c.Period)
	}
	if !(c.Budget > 0) || c.WallSamples < 0 || c.MaxGoroutines < 0 || c.MutexFraction < 0 || c.BlockRate < 0 {
		return errors.New("negative value: use a Budget above 0, and WallSamples, MaxGoroutines, MutexFraction and BlockRate of 0 or more")
	}
	return nil
}

// wants reports whether a kind is to be recorded.
func (c Config) wants(k Kind) bool { return slices.Contains(c.Kinds, k) }

// identity returns the query parameters that all profiles have.
func (c Config) identity() url.Values {
	q := url.Values{"service": {c.Service}, "instance": {c.Instance}}
	if c.Version != "" {
		q.Set("version", c.Version)
	}
	if c.Zone != "" {
		q.Set("zone", c.Zone)
	}
	for name, value := range c.Labels {
		q.Set("label."+name, value)
	}
	return q
}

// serviceOf returns the name of a program from its package path, as go install
// does: of example.com/shop/v2 it is shop.
func serviceOf(main string) string {
	name := path.Base(main)
	if majorVersion.MatchString(name) && path.Dir(main) != "." {
		name = path.Base(path.Dir(main))
	}
	// go run of files, and go test, have no path of their own.
	if main == "" || name == "command-line-arguments" {
		name = strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	}
	return name
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// versionOf returns the main module's version or else the revision built.
func versionOf(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	var revision, modified string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			modified = s.Value
		}
	}
	revision = revision[:min(12, len(revision))]
	if revision != "" && modified == "true" {
		revision += "+dirty"
	}
	return revision
}
