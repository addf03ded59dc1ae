// Package credentials has how hone authenticates to servers that it sends requests to, as
// configuration files say it.
package credentials

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"strings"

	"github.com/hone-go/hone/internal/infile"
)

// Auth says how requests authenticate: with a token, or a user and a password.
type Auth struct {
	Bearer       string `toml:"bearer"`
	BearerFile   string `toml:"bearer_file"` // read for each request
	User         string `toml:"user"`
	Password     string `toml:"password"`
	PasswordFile string `toml:"password_file"`
}

// TLS has the settings for https.
type TLS struct {
	CA         string `toml:"ca"` // file with the authorities' certificates; the system's
	Cert       string `toml:"cert"`
	Key        string `toml:"key"`
	ServerName string `toml:"server_name"` // that certificates have to be of; the target's
	Insecure   bool   `toml:"insecure"`    // accept any certificate
}

// Check returns what is wrong with the settings.
func (a Auth) Check() (errs []error) {
	if a.Bearer != "" && a.BearerFile != "" || a.Password != "" && a.PasswordFile != "" {
		errs = append(errs, errors.New("auth: give either a secret or a file with it, not both"))
	}
	if (a.Bearer != "" || a.BearerFile != "") && a.User != "" {
		errs = append(errs, errors.New("auth: give either a bearer token or a user, not both"))
	}
	if a.User == "" && (a.Password != "" || a.PasswordFile != "") {
		errs = append(errs, errors.New("auth: a password needs a user"))
	}
	return errs
}

// maxSecret bounds a file with a password or token, in bytes.
const maxSecret = 64 << 10

// ReadSecret returns the secret in a file, without the white space around it.
func ReadSecret(ctx context.Context, file string) (string, error) {
	data, err := infile.ReadText(ctx, file, maxSecret)
	return strings.TrimSpace(string(data)), err
}

// Authorize adds to a request who asks.
func (a Auth) Authorize(r *http.Request) error {
	secret := func(text, file string) (string, error) {
		if file == "" {
			return text, nil
		}
		return ReadSecret(r.Context(), file)
	}
	if a.User != "" {
		password, err := secret(a.Password, a.PasswordFile)
		r.SetBasicAuth(a.User, password)
		return err
	}
	token, err := secret(a.Bearer, a.BearerFile)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return err
}

// Config returns the settings for https.
func (t TLS) Config() (*tls.Config, error) {
	cfg := &tls.Config{ServerName: t.ServerName, InsecureSkipVerify: t.Insecure, MinVersion: tls.VersionTLS12}
	if t.CA != "" {
		var err error
		if cfg.RootCAs, err = infile.CertPool(t.CA); err != nil {
			return nil, err
		}
	}
	if (t.Cert == "") != (t.Key == "") {
		return nil, errors.New("give both cert and key, or neither")
	}
	if t.Cert != "" {
		if _, err := infile.KeyPair(t.Cert, t.Key); err != nil {
			return nil, err
		}
		// Read for each connection: certificates are replaced.
		cfg.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			c, err := infile.KeyPair(t.Cert, t.Key)
			return &c, err
		}
	}
	return cfg, nil
}
