package daemon

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/hone-go/hone/internal/fnmetrics"
	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/cloudprofiler"
	"github.com/hone-go/hone/internal/ingest/scrape"
	"github.com/hone-go/hone/internal/notify"
	"github.com/hone-go/hone/internal/regress"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/store/clickhouse"
	"github.com/hone-go/hone/internal/store/disk"
)

// Config is what hone serve does, as its configuration file says it; see
// doc/reference/configuration.md. Flags have the last word.
type Config struct {
	Listen         string   `toml:"listen"`
	Data           string   `toml:"data"`
	PublicURL      string   `toml:"public_url"`
	Hosts          []string `toml:"hosts"`
	SourcePath     string   `toml:"source_path"`
	BinaryPath     string   `toml:"binary_path"`
	Module         string   `toml:"module"`
	AllowAnyone    bool     `toml:"allow_anyone"`
	AllowPlaintext bool     `toml:"allow_plaintext"`

	Log struct {
		Format string `toml:"format"`
		Level  string `toml:"level"`
	} `toml:"log"`
	TLS struct {
		Cert string `toml:"cert"`
		Key  string `toml:"key"`
	} `toml:"tls"`
	Auth struct {
		Required *bool       `toml:"required"`
		Tokens   string      `toml:"tokens"`
		OIDC     *oidcConfig `toml:"oidc"`
	} `toml:"auth"`
	Store struct {
		URL           string         `toml:"url"` // of ClickHouse; "" is in the data directory
		Retention     configDuration `toml:"retention"`
		MaxSize       configSize     `toml:"max_size"`
		MinFree       configSize     `toml:"min_free"`
		Cache         configSize     `toml:"cache"`
		MaxDictionary configSize     `toml:"max_dictionary"`
	} `toml:"store"`
	Limits  ingest.Config `toml:"limits"`
	Queries struct {
		Parallel  int        `toml:"parallel"`
		Waiting   int        `toml:"waiting"`
		Cache     configSize `toml:"cache"`
		MaxAnswer configSize `toml:"max_answer"`
	} `toml:"queries"`
	Server struct {
		Connections    int            `toml:"connections"`
		PerAddress     int            `toml:"connections_per_address"`
		Reserve        int            `toml:"connections_reserve"`
		TrustedProxies []configPrefix `toml:"trusted_proxies"`
		BodyTimeout    configDuration `toml:"body_timeout"`
		Shutdown       configDuration `toml:"shutdown"`
		InFlight       configSize     `toml:"in_flight"`
		MinRate        configRate     `toml:"min_rate"`
	} `toml:"server"`
	CloudProfiler struct {
		Interval configDuration                `toml:"interval"`
		Duration configDuration                `toml:"duration"`
		Profiles map[string]agentProfileConfig `toml:"profiles"` // by kind
		Wait     configDuration                `toml:"wait"`
		Proxy    string                        `toml:"proxy"`
		Forward  []string                      `toml:"forward"`
		Tunnels  int                           `toml:"tunnels"`
		Project  string                        `toml:"project"`
		Zone     string                        `toml:"zone"`
		Instance string                        `toml:"instance"`
	} `toml:"cloud_profiler"`
	Regressions struct {
		Every  configDuration `toml:"every"`
		Budget float64        `toml:"budget"` // share of one CPU; 0: the server doesn't look for them
		regress.Limits
	} `toml:"regressions"`
	Notify          []notify.Target `toml:"notify"`
	Scrape          []scrape.Job    `toml:"scrape"`
	FunctionMetrics struct {
		Interval configDuration     `toml:"interval"`
		Delay    configDuration     `toml:"delay"`
		Limit    int                `toml:"limit"`
		Budget   float64            `toml:"budget"`
		Rules    []metricRuleConfig `toml:"rule"`
	} `toml:"function_metrics"`

	file string // "" without one
}

// agentProfileConfig says what is different for one kind of the profiles that
// agents of Cloud Profiler are asked for.
type agentProfileConfig struct {
	Enabled  *bool          `toml:"enabled"`
	Interval configDuration `toml:"interval"`
	Duration configDuration `toml:"duration"`
}

type oidcConfig struct {
	Name             string     `toml:"name"`
	Issuer           string     `toml:"issuer"`
	ClientID         string     `toml:"client_id"`
	ClientSecret     string     `toml:"client_secret"`
	ClientSecretFile string     `toml:"client_secret_file"`
	Scopes           []string   `toml:"scopes"`
	GroupsClaim      string     `toml:"groups_claim"`
	Rules            []oidcRule `toml:"rule"`
}

type oidcRule struct {
	Email    string   `toml:"email"`
	Group    string   `toml:"group"`
	Subject  string   `toml:"subject"`
	Roles    []string `toml:"roles"`
	Services []string `toml:"services"`
}

const (
	DefaultListen    = "127.0.0.1:4600"
	defaultRetention = 30 * 24 * time.Hour
	DefaultProxy     = "127.0.0.1:4601"
)

// Limits of files, in bytes.
const (
	maxConfig = 16 << 20
	maxSecret = 64 << 10
)

// ReadConfig reads a configuration file. Keys that mean nothing are errors. There
// is a configuration with an error, too, unless the file can't be read.
func ReadConfig(ctx context.Context, file string) (*Config, error) {
	if file == "" {
		return DefaultConfig(file), nil
	}
	data, err := infile.ReadAnyText(ctx, file, maxConfig)
	if err != nil {
		return nil, err
	}
	c, found := decodeConfig(file, data)
	slices.SortStableFunc(found, func(a, b *configError) int { return cmp.Compare(a.row, b.row) })
	var all Problems
	for _, e := range found {
		if e.syntax {
			return nil, e // what follows can't be told
		}
		all = append(all, e)
	}
	return c, all.Err()
}

// DefaultConfig returns what holds where a file says nothing. A setting that is
// zero here has no default, or one that depends on the machine.
func DefaultConfig(file string) *Config {
	c := &Config{file: file, Listen: DefaultListen, Limits: ingest.DefaultConfig()}
	c.Log.Format, c.Log.Level = "text", "info"
	kept := disk.DefaultOptions()
	c.Store.Retention = configDuration(defaultRetention)
	c.Store.MinFree, c.Store.Cache, c.Store.MaxDictionary = configSize(kept.MinFree), configSize(kept.CacheBytes), configSize(kept.MaxDictionary)
	limits := server.DefaultLimits()
	c.Queries.Waiting, c.Queries.Cache, c.Queries.MaxAnswer = limits.Queue, configSize(limits.CacheBytes), configSize(limits.Answer)
	listening := server.DefaultListening()
	c.Server.Connections, c.Server.PerAddress, c.Server.Reserve = listening.Connections.Most, listening.Connections.PerAddress, listening.Connections.Reserve
	c.Server.BodyTimeout, c.Server.Shutdown = configDuration(listening.Body), configDuration(listening.Drain)
	c.Server.InFlight, c.Server.MinRate = configSize(limits.Sending), configRate(limits.Rate)
	agents := cloudprofiler.DefaultConfig()
	c.CloudProfiler.Interval, c.CloudProfiler.Duration = configDuration(agents.Interval), configDuration(agents.Duration)
	c.CloudProfiler.Wait = configDuration(agents.MaxPoll)
	c.CloudProfiler.Tunnels, c.CloudProfiler.Project = cloudprofiler.DefaultTunnels, cloudprofiler.DefaultProject
	c.Regressions.Every, c.Regressions.Budget, c.Regressions.Limits = configDuration(regress.DefaultEvery), regress.DefaultBudget, regress.DefaultLimits()
	metrics := fnmetrics.DefaultConfig()
	c.FunctionMetrics.Interval, c.FunctionMetrics.Limit, c.FunctionMetrics.Budget = configDuration(metrics.Interval), metrics.Limit, metrics.Budget
	return c
}

// decodeConfig reads the text of a file and returns what is wrong with it. The
// decoder stops at the first value that is none, such as a duration of "3 dogs": the
// line is emptied then, and all read anew, so that each is told.
func decodeConfig(file string, data []byte) (c *Config, found []*configError) {
	lines := bytes.SplitAfter(data, []byte("\n"))
	for {
		c = DefaultConfig(file)
		err := toml.NewDecoder(bytes.NewReader(bytes.Join(lines, nil))).DisallowUnknownFields().Decode(c)
		var strict *toml.StrictMissingError
		var one *toml.DecodeError
		switch {
		case err == nil:
			return c, found
		case errors.As(err, &strict):
			for i := range strict.Errors {
				e := &strict.Errors[i]
				row, _ := e.Position()
				found = append(found, &configError{file: file, row: row, text: "unknown setting " + strings.Join(e.Key(), ".")})
			}
			return c, found
		case !errors.As(err, &one):
			return c, append(found, &configError{file: file, text: err.Error()})
		}
		row, _ := one.Position()
		text := strings.TrimPrefix(one.Error(), "toml: ")
		if key := strings.Join(one.Key(), "."); key != "" && !strings.Contains(text, key) {
			text = key + ": " + text
		}
		e := &configError{file: file, row: row, text: text, syntax: len(one.Key()) == 0}
		if e.syntax && len(found) > 0 {
			return c, found // of a value of several lines, of which one is gone
		}
		found = append(found, e)
		if e.syntax || row < 1 || row > len(lines) || len(bytes.TrimSpace(lines[row-1])) == 0 {
			return c, found
		}
		lines[row-1] = []byte("\n")
	}
}

// A configError is what is wrong with a line of a configuration file.
type configError struct {
	file   string
	row    int // from 1; 0 if it is not known
	text   string
	syntax bool // the file can't be read, so that nothing else can be told
}

func (e *configError) Error() string {
	if e.row == 0 {
		return e.file + ": " + e.text
	}
	return fmt.Sprintf("%s:%d: %s", e.file, e.row, e.text)
}

// DefaultData is where profiles are kept unless one says where: the folder that
// systemd made for the service, or the user's own for such things.
func DefaultData(getenv func(string) string) string {
	if dir := getenv("STATE_DIRECTORY"); dir != "" {
		first, _, _ := strings.Cut(dir, ":")
		return first
	}
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "hone")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".local", "state", "hone")
	}
	return "hone-data"
}

// Blame names a setting in an error.
func (c *Config) Blame(setting string, err error) error {
	if c.file != "" {
		return fmt.Errorf("%s: %s: %w", c.file, setting, err)
	}
	return fmt.Errorf("%s: %w", setting, err)
}

// Check tells what is wrong with a configuration that can be told without
// doing anything.
func (c *Config) Check() (found Problems) {
	blame := func(setting string, err error) {
		for _, e := range Separate(err) {
			found = append(found, c.Blame(setting, e))
		}
	}
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		blame("listen", fmt.Errorf("%q is not HOST:PORT, such as %s", c.Listen, DefaultListen))
	}
	if !slices.Contains([]string{"", "text", "json"}, c.Log.Format) {
		blame("log.format", fmt.Errorf("%q is not text or json", c.Log.Format))
	}
	if _, err := c.logLevel(); err != nil {
		blame("log.level", err)
	}
	if (c.TLS.Cert == "") != (c.TLS.Key == "") {
		blame("tls", errors.New("cert and key belong together: one of them is missing"))
	}
	if b := c.Regressions.Budget; !(b >= 0 && b <= 1) {
		blame("regressions.budget", fmt.Errorf("invalid share of a CPU %v: use a number from 0 to 1, such as 0.02; 0 turns it off", b))
	}
	blame("regressions", c.Regressions.Check())
	if n := c.Server.Connections; n < 0 {
		blame("server.connections", fmt.Errorf("%d is less than 0", n))
	}
	if c.PublicURL != "" {
		u, err := url.Parse(c.PublicURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
			blame("public_url", fmt.Errorf("%q is not the address that browsers know, such as https://hone.example.com", c.PublicURL))
		}
	}
	if c.CloudProfiler.Proxy != "" {
		if _, _, err := net.SplitHostPort(c.CloudProfiler.Proxy); err != nil {
			blame("cloud_profiler.proxy", fmt.Errorf("%q is not HOST:PORT, such as %s", c.CloudProfiler.Proxy, DefaultProxy))
		}
	}
	if c.Store.URL != "" {
		_, err := c.remote()
		blame("store.url", err)
	}
	agents, proxy := c.cloudProfiler(), c.cloudProfilerProxy()
	blame("cloud_profiler", errors.Join(agents.Check(), proxy.Check()))
	if d := time.Duration(c.Regressions.Every); d < time.Second {
		blame("regressions.every", fmt.Errorf("%v is too short: use at least 1s", d))
	}
	blame("notify", notify.Check(c.Notify))
	blame("scrape", scrape.Check(c.Scrape))
	_, err := c.functionMetrics()
	blame("function_metrics", err)
	if c.Auth.OIDC != nil {
		if c.Auth.Required != nil && !*c.Auth.Required {
			blame("auth", errors.New("there is oidc to log in with, but required is false"))
		}
		of, err := c.oidc()
		blame("auth.oidc", errors.Join(err, of.Check()))
	}
	return found
}

// connections returns how many connections there may be.
func (c *Config) connections() server.Connections {
	of := &c.Server
	out := server.Connections{Most: of.Connections, PerAddress: of.PerAddress, Reserve: of.Reserve}
	for _, p := range of.TrustedProxies {
		out.Proxies = append(out.Proxies, netip.Prefix(p))
	}
	return out
}

func (c *Config) logLevel() (slog.Level, error) {
	var level slog.Level
	if c.Log.Level == "" {
		return slog.LevelInfo, nil
	}
	if err := level.UnmarshalText([]byte(c.Log.Level)); err != nil {
		return 0, fmt.Errorf("%q is not debug, info, warn or error", c.Log.Level)
	}
	return level, nil
}

// cloudProfiler returns how agents of Cloud Profiler are served.
func (c *Config) cloudProfiler() cloudprofiler.Config {
	of := &c.CloudProfiler
	out := cloudprofiler.Config{
		Schedule: cloudprofiler.Schedule{Interval: time.Duration(of.Interval), Duration: time.Duration(of.Duration)},
		Kinds:    map[string]cloudprofiler.Schedule{}, MaxPoll: time.Duration(of.Wait),
	}
	for kind, p := range of.Profiles {
		s := cloudprofiler.Schedule{Interval: time.Duration(p.Interval), Duration: time.Duration(p.Duration)}
		if p.Enabled != nil && !*p.Enabled {
			s.Interval = -1 // never
		}
		out.Kinds[kind] = s
	}
	return out
}

// cloudProfilerProxy returns how programs are served whose agents know of no
// other server than Google's.
func (c *Config) cloudProfilerProxy() cloudprofiler.ProxyConfig {
	of := &c.CloudProfiler
	return cloudprofiler.ProxyConfig{
		Addr: of.Proxy, Dir: filepath.Join(c.Data, "cloud-profiler-proxy"), Allow: of.Forward, MaxTunnels: of.Tunnels,
		Project: of.Project, Zone: of.Zone, Instance: of.Instance,
	}
}

// oidc returns how people log in with an identity provider.
func (c *Config) oidc() (auth.OIDCConfig, error) {
	o := c.Auth.OIDC
	out := auth.OIDCConfig{
		Name: o.Name, Issuer: o.Issuer, ClientID: o.ClientID, ClientSecret: o.ClientSecret,
		Scopes: o.Scopes, GroupsClaim: o.GroupsClaim,
	}
	if c.PublicURL != "" {
		out.RedirectURL = strings.TrimSuffix(c.PublicURL, "/") + auth.CallbackPath
	}
	var found Problems
	if o.ClientSecretFile != "" {
		if o.ClientSecret != "" {
			found = append(found, errors.New("client_secret and client_secret_file are both given"))
		}
		secret, err := infile.ReadText(context.Background(), o.ClientSecretFile, maxSecret)
		if err != nil {
			found = append(found, err)
		}
		out.ClientSecret = strings.TrimSpace(string(secret))
	}
	for i, r := range o.Rules {
		roles, err := auth.ParseRoles(r.Roles)
		if err != nil {
			found = append(found, fmt.Errorf("rule %d: %w", i+1, err))
			roles = auth.Read // that there is none is not to be told as well
		}
		out.Rules = append(out.Rules, auth.Rule{Email: r.Email, Group: r.Group, Subject: r.Subject, Roles: roles, Services: r.Services})
	}
	return out, found.Err()
}

// exposure checks that a server that others can reach is one that they may
// reach. loopback tells where it listens.
func (c *Config) exposure(loopback bool) error {
	if loopback {
		return nil
	}
	var found Problems
	if !c.needsLogin(loopback) && !c.AllowAnyone {
		found = append(found, fmt.Errorf("%s is reached by others, and no login is required: leave out auth.required = false, or accept with -allow-anyone that whoever can connect reads and writes all profiles", c.Listen))
	}
	if c.TLS.Cert == "" && !c.AllowPlaintext {
		found = append(found, fmt.Errorf("%s is reached by others, without TLS: give -tls-cert and -tls-key, or accept with -allow-plaintext that tokens and profiles can be read on the way (as between a proxy that has TLS and this server)", c.Listen))
	}
	return found.Err()
}

// needsLogin tells whether requests need a token or session.
func (c *Config) needsLogin(loopback bool) bool {
	if c.Auth.Required != nil {
		return *c.Auth.Required
	}
	if c.Auth.OIDC != nil {
		return true
	}
	// Whatever is there, also what can't be read, says that someone has to log in.
	if _, err := os.Lstat(c.Auth.Tokens); !errors.Is(err, fs.ErrNotExist) {
		return true
	}
	return !loopback && !c.AllowAnyone
}

// SessionsFile is where a server keeps its sessions.
func (c *Config) SessionsFile() string { return filepath.Join(c.Data, "sessions.json") }

// remote returns where in ClickHouse profiles are kept.
func (c *Config) remote() (clickhouse.Config, error) {
	out, err := clickhouse.ParseURL(c.Store.URL)
	if err == nil && c.Store.MaxSize != 0 {
		err = errors.New("max_size is for the store in the data directory; ClickHouse has quotas, policies of storage and retention")
	}
	out.Retention = time.Duration(c.Store.Retention)
	return out, err
}

// Keeps says where profiles are kept, for people.
func (c *Config) Keeps() string {
	if c.Store.URL == "" {
		return c.Data
	}
	at, err := clickhouse.ParseURL(c.Store.URL)
	if err != nil {
		return "ClickHouse" // what is wrong is told elsewhere
	}
	return fmt.Sprintf("the database %s of ClickHouse at %s", at.Database, strings.Join(at.Addresses, ", "))
}
