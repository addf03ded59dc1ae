package kafkatest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// writeCertificates writes ca.pem, and certificates with their keys: server.pem, client.pem.
func writeCertificates(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	ca := certificate(1, "ca")
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	if err := write(filepath.Join(dir, "ca.pem"), ca, ca, caKey, nil); err != nil {
		return err
	}
	for i, name := range []string{"server", "client"} {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(dir, name+".pem"), certificate(int64(2+i), name), ca, caKey, key); err != nil {
			return err
		}
	}
	return nil
}

func certificate(serial int64, name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
}

// write writes a certificate that ca signs, after its key; without key it is the CA's own.
func write(path string, cert, ca *x509.Certificate, caKey, key *ecdsa.PrivateKey) error {
	var out []byte
	public := &caKey.PublicKey
	if key != nil {
		public = &key.PublicKey
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			return err
		}
		out = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, ca, public, caKey)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...), 0o600)
}
