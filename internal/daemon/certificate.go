package daemon

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/infile"
)

// certificate is a certificate in files, which is read again when they change:
// whatever renews it need not tell the server.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu     sync.Mutex
	looked time.Time // when the files were looked at
	stamp  [2]time.Time
	loaded *tls.Certificate
}

// certificateAge is how long it may take until a new certificate is used.
const certificateAge = time.Second

func openCertificate(cert, key string, log *slog.Logger) (*certificate, error) {
	c := &certificate{cert: cert, key: key, log: log}
	return c, c.load()
}

func (c *certificate) load() error {
	var stamp [2]time.Time
	for i, name := range []string{c.cert, c.key} {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		stamp[i] = info.ModTime()
	}
	if c.loaded != nil && stamp == c.stamp {
		return nil
	}
	loaded, err := infile.KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("%s with %s: %w", c.cert, c.key, err)
	}
	if c.loaded != nil {
		c.log.Info("read the new TLS certificate", "file", c.cert, "expires", loaded.Leaf.NotAfter)
	}
	c.loaded, c.stamp = &loaded, stamp
	return nil
}

// get returns the certificate. One that can't be read, as while its files are
// replaced one after the other, leaves the one before in use.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) >= certificateAge {
		c.looked = time.Now()
		if err := c.load(); err != nil {
			c.log.Error("the TLS certificate can't be read, the one before stays in use", "error", err)
		}
	}
	return c.loaded, nil
}

func (c *certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}
}
