package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/credentials"
	"github.com/hone-go/hone/internal/glob"
)

// The formats of notifications.
const (
	Alertmanager = "alertmanager"
	JSON         = "json"
)

// A Target is where notifications go, as the configuration file says it. Comments give the
// default of each field.
type Target struct {
	Name   string `toml:"name"` // in the log and in metrics
	Format string `toml:"format"`
	URL    string `toml:"url"`
	// URLFile is a file with the URL, for URLs that are secret. It is read for each request.
	URLFile  string   `toml:"url_file"`
	Services []string `toml:"services"` // patterns; all
	// Labels are added to alerts.
	Labels map[string]string `toml:"labels"`
	// Repeat is how often an Alertmanager hears of an alert that goes on; 1m.
	Repeat  Duration `toml:"repeat"`
	Timeout Duration `toml:"timeout"` // of a request; 10s
	// SecretFile and SecretEnv name the file or the environment variable with the secret that
	// signs requests; without them, requests aren't signed.
	SecretFile string `toml:"secret_file"`
	SecretEnv  string `toml:"secret_env"`

	Auth credentials.Auth `toml:"auth"`
	TLS  credentials.TLS  `toml:"tls"`
}

// A Duration is a length of time that is written as "10s".
type Duration time.Duration

// UnmarshalText reads a duration.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := api.ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// Defaults of a target.
const (
	defaultRepeat  = Duration(time.Minute)
	defaultTimeout = Duration(10 * time.Second)
)

// withDefaults returns the target with defaults for what isn't set.
func (t Target) withDefaults() Target {
	t.Repeat, t.Timeout = cmp.Or(t.Repeat, defaultRepeat), cmp.Or(t.Timeout, defaultTimeout)
	return t
}

// wants reports whether a target hears of a service.
func (t *Target) wants(service string) bool {
	return len(t.Services) == 0 || slices.ContainsFunc(t.Services, func(pattern string) bool { return glob.Match(pattern, service) })
}

// Check returns what is wrong with targets. Errors name the target and the setting. They never
// have a URL in them: it can be a secret.
func Check(targets []Target) error {
	var errs []error
	for i, t := range targets {
		name := fmt.Sprintf("%q", t.Name)
		switch {
		case t.Name == "":
			name = fmt.Sprint(i + 1)
			errs = append(errs, fmt.Errorf("target %s: name is missing", name))
		case strings.ContainsFunc(t.Name, func(r rune) bool { return !unicode.IsPrint(r) }):
			errs = append(errs, fmt.Errorf("target %s: name: it is a label of metrics, so all of its characters must be printable", name))
		case slices.ContainsFunc(targets[:i], func(o Target) bool { return o.Name == t.Name }):
			errs = append(errs, fmt.Errorf("target %s: name: another target has it", name))
		}
		for _, err := range t.check() {
			errs = append(errs, fmt.Errorf("target %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

func (t Target) check() (errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	full := t.withDefaults()
	if t.Format != Alertmanager && t.Format != JSON {
		fail("format: unknown format %q: use %s or %s", t.Format, Alertmanager, JSON)
	}
	if t.URL != "" && t.URLFile != "" {
		fail("url: give either url or url_file, not both")
	} else if _, err := t.location(context.Background()); err != nil {
		errs = append(errs, err)
	}
	if t.Format != Alertmanager && (len(t.Labels) > 0 || t.Repeat != 0) {
		fail("labels and repeat are for format = %q", Alertmanager)
	}
	for name := range t.Labels {
		if !labelName(name) {
			fail("labels: invalid name %q: use letters, digits and _", name)
		} else if _, taken := labelsOf(&api.Regression{})[name]; taken {
			fail("labels: hone sets %s itself", name)
		}
	}
	if d := time.Duration(full.Repeat); d < time.Second || d > time.Hour {
		fail("repeat: invalid duration %v: use 1s to 1h", d)
	}
	if d := time.Duration(full.Timeout); d < time.Second || d > time.Minute {
		fail("timeout: invalid duration %v: use 1s to 1m", d)
	}
	if t.SecretFile != "" && t.SecretEnv != "" {
		fail("secret: give either secret_file or secret_env, not both")
	} else if t.SecretFile != "" {
		// The environment of a check isn't that of the server.
		if _, err := t.secret(context.Background(), nil); err != nil {
			errs = append(errs, err)
		}
	}
	errs = append(errs, t.Auth.Check()...)
	if _, err := t.TLS.Config(); err != nil {
		fail("tls: %w", err)
	}
	return errs
}

// labelName reports whether a label of an alert can have a name.
func labelName(name string) bool {
	ok, _ := regexp.MatchString(`^[a-zA-Z_][a-zA-Z0-9_]*$`, name)
	return ok && !strings.HasPrefix(name, "__")
}

// location returns where requests go. Errors name the setting.
func (t *Target) location(ctx context.Context) (*url.URL, error) {
	text, name := t.URL, "url"
	if t.URLFile != "" {
		var err error
		if text, err = credentials.ReadSecret(ctx, t.URLFile); err != nil {
			return nil, fmt.Errorf("url_file: %w", err)
		}
		name = "url_file: the URL in " + t.URLFile
	}
	u, err := t.address(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return u, nil
}

// address returns where requests go for a URL as it is configured.
func (t *Target) address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	var wrong *url.Error
	switch {
	case text == "":
		return nil, errors.New("it is missing")
	case errors.As(err, &wrong):
		return nil, wrong.Err // the rest is the URL
	case err != nil:
		return nil, err
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("it must begin with http:// or https://")
	case u.Hostname() == "":
		return nil, errors.New("it has no host")
	case u.User != nil:
		return nil, errors.New("it has a user: use auth")
	}
	if t.Format == Alertmanager && !strings.HasSuffix(u.Path, alertsPath) {
		u = u.JoinPath(alertsPath)
	}
	return u, nil
}

// secret returns what signs requests, "" for nothing. A secret that is configured and missing
// is an error: requests are never sent without their signature.
func (t *Target) secret(ctx context.Context, getenv func(string) string) (string, error) {
	name, secret := "secret_env", ""
	switch {
	case t.SecretFile != "":
		var err error
		if secret, err = credentials.ReadSecret(ctx, t.SecretFile); err != nil {
			return "", fmt.Errorf("secret_file: %w", err)
		}
		name = "secret_file"
	case t.SecretEnv != "":
		secret = getenv(t.SecretEnv)
	default:
		return "", nil
	}
	if secret == "" {
		return "", fmt.Errorf("%s: the secret is empty", name)
	}
	return secret, nil
}

// alertsPath is the path of an Alertmanager's API that takes alerts.
const alertsPath = "/api/v2/alerts"
