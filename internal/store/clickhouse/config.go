package clickhouse

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/infile"
	"github.com/hone-go/hone/internal/lazyregexp"
)

// A Config has the address and the options of a store. Only Addresses is required.
type Config struct {
	Addresses []string // host:port of the engine's HTTP interface
	Database  string
	User      string // "" is the engine's default user
	Password  string
	TLS       *tls.Config // nil for plain HTTP
	// Cluster is the engine's name of the cluster that has the tables; "" for
	// tables on one server.
	Cluster string

	// Interval is the minimum time between two inserts. Puts that arrive in between
	// are inserted together. 0 is DefaultInterval.
	Interval time.Duration
	// Timeout is how long the answer to a statement may take to start. 0 is
	// DefaultTimeout.
	Timeout time.Duration
	// Retention is how long profiles are kept; 0 is forever.
	Retention time.Duration
	// NoRollUps turns roll-ups off: hours are not summed up in the background, and
	// queries don't read their sums. See RollUp.
	NoRollUps bool
	Now       func() time.Time // nil is time.Now
	Log       *slog.Logger     // nil doesn't log
}

// Defaults of a Config.
const (
	// The engine has to merge every insert later. It keeps up with about ten per second
	// from each of a few nodes.
	DefaultInterval = 100 * time.Millisecond
	DefaultTimeout  = time.Minute
	DefaultDatabase = "hone"
	DefaultPort     = "8123"
)

func (c *Config) normalize() error {
	if c.Interval == 0 {
		c.Interval = DefaultInterval
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Database == "" {
		c.Database = DefaultDatabase
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if len(c.Addresses) == 0 {
		return errors.New("a ClickHouse store needs an address")
	}
	for what, name := range map[string]string{"database": c.Database, "cluster": c.Cluster} {
		if name != "" && !identifier.MatchString(name) {
			return fmt.Errorf("invalid %s name %q: use letters, digits and _, and start with a letter", what, name)
		}
	}
	return nil
}

// identifier matches the name of a database or cluster, which is part of statements.
var identifier = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_]{0,62}$`)

// ParseURL parses the address of a store in a flag or a configuration file:
//
//	clickhouse://[user[:password]@]host[:port][,host[:port]...]/[database][?option=value&...]
//
// The options are cluster, password-file, tls=1, ca (a file with trusted certificates),
// interval, timeout and retention (durations such as 250ms), and rollups=0. Errors never
// contain the password.
func ParseURL(text string) (Config, error) {
	var c Config
	rest, ok := strings.CutPrefix(text, "clickhouse://")
	if !ok {
		return c, errors.New("the address of a ClickHouse store begins with clickhouse://")
	}
	// Several hosts are no URL to package url.
	host, path, _ := strings.Cut(rest, "/")
	user := ""
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		user, host = host[:i], host[i+1:]
	}
	for _, h := range strings.Split(host, ",") {
		if h = strings.TrimSpace(h); h == "" {
			return c, errors.New("the address of a ClickHouse store has an empty host")
		}
		if _, _, err := net.SplitHostPort(h); err != nil {
			h = net.JoinHostPort(strings.Trim(h, "[]"), DefaultPort)
		}
		c.Addresses = append(c.Addresses, h)
	}
	u, err := url.Parse("clickhouse://" + user + "@host/" + path)
	if err != nil {
		return c, errors.New("the address of a ClickHouse store has a user, password or option that can't be read: write special characters as %XX")
	}
	c.User = u.User.Username()
	c.Password, _ = u.User.Password()
	c.Database = strings.Trim(u.Path, "/")
	options, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return c, fmt.Errorf("options of a ClickHouse store: %w", err)
	}
	for name, all := range options {
		value := all[len(all)-1]
		var err error
		switch name {
		case "cluster":
			c.Cluster = value
		case "password-file":
			var b []byte
			b, err = infile.ReadText(context.Background(), value, maxPassword)
			c.Password = strings.TrimRight(string(b), "\r\n")
		case "tls":
			var on bool
			if on, err = strconv.ParseBool(value); on && c.TLS == nil {
				c.TLS = new(tls.Config)
			}
		case "ca":
			c.TLS, err = trusting(value)
		case "interval":
			c.Interval, err = time.ParseDuration(value)
		case "timeout":
			c.Timeout, err = time.ParseDuration(value)
		case "retention":
			c.Retention, err = time.ParseDuration(value)
		case "rollups":
			var on bool
			on, err = strconv.ParseBool(value)
			c.NoRollUps = !on
		default:
			err = errors.New("unknown option (known: ca, cluster, interval, password-file, retention, rollups, timeout, tls)")
		}
		if err != nil {
			return c, fmt.Errorf("option %s of a ClickHouse store: %w", name, err)
		}
	}
	return c, c.normalize()
}

// maxPassword limits the size of a password file, in bytes.
const maxPassword = 64 << 10

// trusting returns a TLS configuration that trusts the certificates in a PEM file.
func trusting(file string) (*tls.Config, error) {
	pool, err := infile.CertPool(file)
	if err != nil {
		return nil, err
	}
	return &tls.Config{RootCAs: pool}, nil
}
