package capture

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"

	"github.com/hone-go/hone/internal/infile"
)

// tlsConfig loads the files of the -tls flags. It applies to every URL.
func (f *Fetcher) tlsConfig() (*tls.Config, error) {
	config := new(tls.Config)
	switch {
	case f.TLSCert != "" && f.TLSKey != "":
		pair, err := infile.KeyPair(f.TLSCert, f.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("could not load certificate/key pair specified by -tls_cert and -tls_key: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	case f.TLSKey != "":
		return nil, errors.New("-tls_key is specified, so -tls_cert must also be specified")
	case f.TLSCert != "":
		return nil, errors.New("-tls_cert is specified, so -tls_key must also be specified")
	}
	if f.TLSCA != "" {
		var err error
		if config.RootCAs, err = infile.CertPool(f.TLSCA); err != nil {
			return nil, fmt.Errorf("could not load CA specified by -tls_ca: %w", err)
		}
	}
	return config, nil
}

var errRedirects = fmt.Errorf("stopped after %d redirects", maxRedirects)

func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects {
		return fmt.Errorf("%w, the last to %s", errRedirects, req.URL.Redacted())
	}
	return nil
}
