package cloudprofiler

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hone-go/hone/internal/durable"
	"github.com/hone-go/hone/internal/infile"
)

// Where the authority is in ProxyConfig.Dir.
const (
	authorityFile    = "ca.pem"
	authorityKeyFile = "ca-key.pem"
)

const (
	authorityLife = 10 * 365 * 24 * time.Hour
	leafLife      = 90 * 24 * time.Hour
	clockSkew     = 24 * time.Hour // that programs may be behind
)

// An authority vouches for agentHost, and can't for any other: its certificate
// says so, so that trusting it costs programs nothing.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey

	mu   sync.Mutex
	leaf *tls.Certificate
}

// openAuthority reads the authority from a folder, or makes it.
func openAuthority(dir string) (*authority, error) {
	certFile, keyFile := filepath.Join(dir, authorityFile), filepath.Join(dir, authorityKeyFile)
	if _, err := os.Stat(keyFile); errors.Is(err, fs.ErrNotExist) {
		if err := createAuthority(certFile, keyFile); err != nil {
			return nil, err
		}
	}
	const most = 1 << 20 // bytes of either
	certPEM, err := infile.ReadFile(context.Background(), certFile, most)
	keyPEM, kerr := infile.ReadFile(context.Background(), keyFile, most)
	if err = cmp.Or(err, kerr); err != nil {
		return nil, fmt.Errorf("%w; remove %s to create a new one", err, keyFile)
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("%w; remove %s to create a new one", err, keyFile)
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || !pair.Leaf.IsCA {
		return nil, fmt.Errorf("%s was not written by hone; remove %s to create a new one", certFile, keyFile)
	}
	if left := time.Until(pair.Leaf.NotAfter); left < leafLife {
		return nil, fmt.Errorf("%s expires in %v; remove %s to create a new one", certFile, left.Round(time.Hour), keyFile)
	}
	return &authority{cert: pair.Leaf, key: key}, nil
}

// loadAuthority is openAuthority, which sets a damaged authority aside and makes a new
// one.
func loadAuthority(dir string, log *slog.Logger) (*authority, error) {
	a, err := openAuthority(dir)
	if err == nil {
		return a, nil
	}
	keyFile := filepath.Join(dir, authorityKeyFile)
	to, aerr := durable.SetAside(keyFile)
	if aerr != nil {
		return nil, err
	}
	log.Error("the certificate authority of the Cloud Profiler proxy is damaged: hone moved its key away and created a new one; give programs the new certificate",
		"key", to, "error", err)
	return openAuthority(dir)
}

func createAuthority(certFile, keyFile string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:                serial(),
		Subject:                     pkix.Name{Organization: []string{"hone"}, CommonName: "hone, for " + agentHost + " only"},
		NotBefore:                   now.Add(-clockSkew),
		NotAfter:                    now.Add(authorityLife),
		IsCA:                        true,
		BasicConstraintsValid:       true,
		MaxPathLenZero:              true,
		KeyUsage:                    x509.KeyUsageCertSign,
		ExtKeyUsage:                 []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		PermittedDNSDomainsCritical: true,
		PermittedDNSDomains:         []string{agentHost},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	// The key comes last: with it the authority is complete.
	if err := writeNew(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644); err != nil {
		return err
	}
	return writeNew(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600)
}

func serial() *big.Int {
	b := make([]byte, 16)
	rand.Read(b)
	b[0] &= 0x7f
	return new(big.Int).SetBytes(b)
}

// certificate returns the certificate that agents are shown. Its key is never
// on a disk.
func (a *authority) certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	if a.leaf != nil && now.Add(leafLife/3).Before(a.leaf.Leaf.NotAfter) {
		return a.leaf, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial(),
		Subject:      pkix.Name{CommonName: agentHost},
		DNSNames:     []string{agentHost},
		NotBefore:    now.Add(-clockSkew),
		NotAfter:     now.Add(leafLife),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	a.leaf = &tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: key, Leaf: leaf}
	return a.leaf, nil
}
