package infile

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
)

// maxPEM bounds a file of certificates, in bytes. A system's bundle has about 200 KB.
const maxPEM = 16 << 20

func readPEM(file string) ([]byte, error) { return ReadText(context.Background(), file, maxPEM) }

// CertPool reads certificates to trust.
func CertPool(file string) (*x509.CertPool, error) {
	text, err := readPEM(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificate in PEM format", file)
	}
	return pool, nil
}

// KeyPair reads a certificate and its key.
func KeyPair(certFile, keyFile string) (tls.Certificate, error) {
	cert, err := readPEM(certFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := readPEM(keyFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(cert, key)
}
