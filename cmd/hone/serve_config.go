package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/hone-go/hone/internal/ingest"
	"github.com/hone-go/hone/internal/ingest/cloudprofiler"
	"github.com/hone-go/hone/internal/ingest/scrape"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
	"github.com/hone-go/hone/internal/shell"
)

// serveConfig is what hone serve does, as its configuration file says it; see
// doc/serve.md. Flags have the last word.
type serveConfig struct {
	Listen         string   `toml:"listen"`
	Data           string   `toml:"data"`
	PublicURL      string   `toml:"public_url"`
	Hosts          []string `toml:"hosts"`
	SourcePath     string   `toml:"source_path"`
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
		Retention configDuration `toml:"retention"`
		MaxSize   configSize     `toml:"max_size"`
		MinFree   configSize     `toml:"min_free"`
		Cache     configSize     `toml:"cache"`
	} `toml:"store"`
	Limits  ingest.Config `toml:"limits"`
	Queries struct {
		Parallel int        `toml:"parallel"`
		Waiting  int        `toml:"waiting"`
		Cache    configSize `toml:"cache"`
	} `toml:"queries"`
	Server struct {
		Connections int            `toml:"connections"`
		BodyTimeout configDuration `toml:"body_timeout"`
		Shutdown    configDuration `toml:"shutdown"`
		InFlight    configSize     `toml:"in_flight"`
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
	Scrape []scrape.Job `toml:"scrape"`

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

// configDuration is a length of time as text: "30s", "7d".
type configDuration time.Duration

func (d *configDuration) UnmarshalText(text []byte) error {
	v, err := server.ParseDuration(string(text))
	*d = configDuration(v)
	return err
}

// configSize is a number of bytes as text: "512MB", "100GiB".
type configSize int64

var sizePattern = regexp.MustCompile(`^(\d+(?:\.\d+)?)\s*([kKMGT]?)(i?)B?$`)

func (s *configSize) UnmarshalText(text []byte) error {
	m := sizePattern.FindStringSubmatch(strings.TrimSpace(string(text)))
	if m == nil || m[3] != "" && m[2] == "" {
		return fmt.Errorf("%q is no size, such as 512MB or 100GiB", text)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return err
	}
	unit := 1000.0
	if m[3] != "" {
		unit = 1024
	}
	for range strings.Index("kMGT", strings.Replace(m[2], "K", "k", 1)) + 1 {
		if m[2] != "" {
			n *= unit
		}
	}
	if n >= 1<<62 {
		return fmt.Errorf("%s is too large", text)
	}
	*s = configSize(n)
	return nil
}

const (
	defaultListen    = "127.0.0.1:4600"
	defaultRetention = 30 * 24 * time.Hour
	defaultProxy     = "127.0.0.1:4601"
)

// readServeConfig reads a configuration file. Keys that mean nothing are errors.
func readServeConfig(file string) (*serveConfig, error) {
	c := &serveConfig{file: file}
	c.Store.Retention = configDuration(defaultRetention)
	if file == "" {
		return c, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	d := toml.NewDecoder(strings.NewReader(string(data))).DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return nil, configError(file, err)
	}
	return c, nil
}

// configError tells the line of what is wrong, and of unknown keys each.
func configError(file string, err error) error {
	var strict *toml.StrictMissingError
	var one *toml.DecodeError
	switch {
	case errors.As(err, &strict):
		var all []string
		for i := range strict.Errors {
			e := &strict.Errors[i]
			row, _ := e.Position()
			all = append(all, fmt.Sprintf("%s:%d: there is no setting %s", file, row, strings.Join(e.Key(), ".")))
		}
		return errors.New(strings.Join(all, "; "))
	case errors.As(err, &one):
		row, _ := one.Position()
		text := strings.TrimPrefix(one.Error(), "toml: ")
		if key := strings.Join(one.Key(), "."); key != "" && !strings.Contains(text, key) {
			text = key + ": " + text
		}
		return fmt.Errorf("%s:%d: %s", file, row, text)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// serveFlags are the flags of hone serve.
type serveFlags struct {
	config string
	check  bool
	set    map[string]bool // names of flags given
	serveConfig
	retention, maxSize string
	proxy              optionalAddress
}

// optionalAddress is a flag that may be given without a value.
type optionalAddress string

func (o *optionalAddress) String() string   { return string(*o) }
func (o *optionalAddress) IsBoolFlag() bool { return true }
func (o *optionalAddress) Set(v string) error {
	switch v {
	case "true":
		*o = defaultProxy
	case "false":
		*o = ""
	default:
		*o = optionalAddress(v)
	}
	return nil
}

func parseServeFlags(args []string) (*serveFlags, error) {
	f := &serveFlags{set: map[string]bool{}}
	fs := flag.NewFlagSet("serve", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&f.config, "config", "", "")
	fs.BoolVar(&f.check, "check", false, "")
	fs.StringVar(&f.Listen, "listen", "", "")
	fs.StringVar(&f.Data, "data", "", "")
	fs.StringVar(&f.PublicURL, "public-url", "", "")
	fs.StringVar(&f.SourcePath, "source-path", "", "")
	fs.StringVar(&f.retention, "retention", "", "")
	fs.StringVar(&f.maxSize, "max-size", "", "")
	fs.StringVar(&f.Log.Format, "log-format", "", "")
	fs.StringVar(&f.Log.Level, "log-level", "", "")
	fs.StringVar(&f.TLS.Cert, "tls-cert", "", "")
	fs.StringVar(&f.TLS.Key, "tls-key", "", "")
	fs.StringVar(&f.serveConfig.Auth.Tokens, "tokens", "", "")
	fs.BoolVar(&f.AllowAnyone, "allow-anyone", false, "")
	fs.BoolVar(&f.AllowPlaintext, "allow-plaintext", false, "")
	fs.Var(&f.proxy, "cloud-profiler-proxy", "")
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil, err
	} else if err != nil {
		return nil, &shell.UsageError{Verb: "serve", Err: err}
	}
	if fs.NArg() > 0 {
		return nil, &shell.UsageError{Verb: "serve", Err: fmt.Errorf("unexpected %q: hone serve takes flags alone", fs.Arg(0))}
	}
	fs.Visit(func(one *flag.Flag) { f.set[one.Name] = true })
	return f, nil
}

// resolved returns the configuration that flags and file make together.
func (f *serveFlags) resolved(getenv func(string) string) (*serveConfig, error) {
	c, err := readServeConfig(f.config)
	if err != nil {
		return nil, err
	}
	for _, s := range []struct {
		to   *string
		from string
	}{
		{&c.Listen, f.Listen}, {&c.Data, f.Data}, {&c.PublicURL, f.PublicURL}, {&c.SourcePath, f.SourcePath},
		{&c.Log.Format, f.Log.Format}, {&c.Log.Level, f.Log.Level}, {&c.TLS.Cert, f.TLS.Cert}, {&c.TLS.Key, f.TLS.Key},
		{&c.Auth.Tokens, f.Auth.Tokens},
	} {
		*s.to = cmp.Or(s.from, *s.to)
	}
	c.AllowAnyone = c.AllowAnyone || f.AllowAnyone
	c.AllowPlaintext = c.AllowPlaintext || f.AllowPlaintext
	if f.set["cloud-profiler-proxy"] {
		c.CloudProfiler.Proxy = string(f.proxy)
	}
	if f.retention != "" {
		if err := c.Store.Retention.UnmarshalText([]byte(f.retention)); f.retention == "0" {
			c.Store.Retention = 0
		} else if err != nil {
			return nil, &shell.UsageError{Verb: "serve", Err: fmt.Errorf("-retention: %w", err)}
		}
	}
	if f.maxSize != "" {
		if err := c.Store.MaxSize.UnmarshalText([]byte(f.maxSize)); err != nil {
			return nil, &shell.UsageError{Verb: "serve", Err: fmt.Errorf("-max-size: %w", err)}
		}
	}
	c.Listen = cmp.Or(c.Listen, defaultListen)
	if c.Data == "" {
		c.Data = defaultData(getenv)
	}
	c.Auth.Tokens = cmp.Or(c.Auth.Tokens, filepath.Join(c.Data, "tokens.json"))
	return c, c.check()
}

// defaultData is where profiles are kept unless one says where: the folder that
// systemd made for the service, or the user's own for such things.
func defaultData(getenv func(string) string) string {
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

// blame names a setting in an error.
func (c *serveConfig) blame(setting string, err error) error {
	if c.file != "" {
		return fmt.Errorf("%s: %s: %w", c.file, setting, err)
	}
	return fmt.Errorf("%s: %w", setting, err)
}

// check tells what is wrong with a configuration that can be told without
// doing anything.
func (c *serveConfig) check() error {
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return c.blame("listen", fmt.Errorf("%q is not HOST:PORT, such as %s", c.Listen, defaultListen))
	}
	if !slices.Contains([]string{"", "text", "json"}, c.Log.Format) {
		return c.blame("log.format", fmt.Errorf("%q is not text or json", c.Log.Format))
	}
	if _, err := c.logLevel(); err != nil {
		return c.blame("log.level", err)
	}
	if (c.TLS.Cert == "") != (c.TLS.Key == "") {
		return c.blame("tls", errors.New("cert and key belong together: one of them is missing"))
	}
	if c.PublicURL != "" {
		u, err := url.Parse(c.PublicURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
			return c.blame("public_url", fmt.Errorf("%q is not the address that browsers know, such as https://hone.example.com", c.PublicURL))
		}
	}
	if c.CloudProfiler.Proxy != "" {
		if _, _, err := net.SplitHostPort(c.CloudProfiler.Proxy); err != nil {
			return c.blame("cloud_profiler.proxy", fmt.Errorf("%q is not HOST:PORT, such as %s", c.CloudProfiler.Proxy, defaultProxy))
		}
	}
	agents, proxy := c.cloudProfiler(), c.cloudProfilerProxy()
	if err := errors.Join(agents.Check(), proxy.Check()); err != nil {
		return c.blame("cloud_profiler", err)
	}
	if err := scrape.Check(c.Scrape); err != nil {
		return c.blame("scrape", err)
	}
	if c.Auth.OIDC != nil {
		if c.Auth.Required != nil && !*c.Auth.Required {
			return c.blame("auth", errors.New("there is oidc to log in with, but required is false"))
		}
		of, err := c.oidc()
		if err == nil {
			err = of.Check()
		}
		if err != nil {
			return c.blame("auth.oidc", err)
		}
	}
	return nil
}

func (c *serveConfig) logLevel() (slog.Level, error) {
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
func (c *serveConfig) cloudProfiler() cloudprofiler.Config {
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
func (c *serveConfig) cloudProfilerProxy() cloudprofiler.ProxyConfig {
	of := &c.CloudProfiler
	return cloudprofiler.ProxyConfig{
		Addr: of.Proxy, Dir: filepath.Join(c.Data, "cloud-profiler-proxy"), Allow: of.Forward, MaxTunnels: of.Tunnels,
		Project: of.Project, Zone: of.Zone, Instance: of.Instance,
	}
}

// oidc returns how people log in with an identity provider.
func (c *serveConfig) oidc() (auth.OIDCConfig, error) {
	o := c.Auth.OIDC
	out := auth.OIDCConfig{
		Name: o.Name, Issuer: o.Issuer, ClientID: o.ClientID, ClientSecret: o.ClientSecret,
		Scopes: o.Scopes, GroupsClaim: o.GroupsClaim,
	}
	if c.PublicURL != "" {
		out.RedirectURL = strings.TrimSuffix(c.PublicURL, "/") + auth.CallbackPath
	}
	if o.ClientSecretFile != "" {
		if o.ClientSecret != "" {
			return out, errors.New("client_secret and client_secret_file are both given")
		}
		secret, err := os.ReadFile(o.ClientSecretFile)
		if err != nil {
			return out, err
		}
		out.ClientSecret = strings.TrimSpace(string(secret))
	}
	for i, r := range o.Rules {
		roles, err := auth.ParseRoles(r.Roles)
		if err != nil {
			return out, fmt.Errorf("rule %d: %w", i+1, err)
		}
		out.Rules = append(out.Rules, auth.Rule{Email: r.Email, Group: r.Group, Subject: r.Subject, Roles: roles, Services: r.Services})
	}
	return out, nil
}

// exposure checks that a server that others can reach is one that they may
// reach. loopback tells where it listens.
func (c *serveConfig) exposure(loopback bool) error {
	if loopback {
		return nil
	}
	if !c.needsLogin(loopback) && !c.AllowAnyone {
		return fmt.Errorf("%s is reached by others, and no login is required: leave out auth.required = false, or accept with -allow-anyone that whoever can connect reads and writes all profiles", c.Listen)
	}
	if c.TLS.Cert == "" && !c.AllowPlaintext {
		return fmt.Errorf("%s is reached by others, without TLS: give -tls-cert and -tls-key, or accept with -allow-plaintext that tokens and profiles can be read on the way (as between a proxy that has TLS and this server)", c.Listen)
	}
	return nil
}

// needsLogin tells whether requests need a token or session.
func (c *serveConfig) needsLogin(loopback bool) bool {
	if c.Auth.Required != nil {
		return *c.Auth.Required
	}
	if c.Auth.OIDC != nil {
		return true
	}
	if _, err := os.Stat(c.Auth.Tokens); err == nil {
		return true
	}
	return !loopback && !c.AllowAnyone
}
