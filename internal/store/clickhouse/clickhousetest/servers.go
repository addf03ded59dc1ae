package clickhousetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"embed"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/hone-go/hone/internal/freeport"
)

//go:embed server.xml users.xml today.py
var files embed.FS

var serverConfig = template.Must(template.ParseFS(files, "server.xml"))

// A node is the configuration of a server.
type node struct {
	Dir                    string
	HTTP, TCP, Interserver string // ports
	HTTPS                  string // one more, or ""
	Shard, Replica         int
	Shards                 [][]string // the ports of all replicas, of a cluster
	ZooKeeper              string     // its port, of a cluster
}

// write writes the configuration into the server's directory.
func (n *node) write() error {
	if err := os.MkdirAll(n.Dir, 0o755); err != nil {
		return err
	}
	users, err := files.ReadFile("users.xml")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(n.Dir, "users.xml"), users, 0o644); err != nil {
		return err
	}
	var text strings.Builder
	if err := serverConfig.Execute(&text, n); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(n.Dir, "server.xml"), []byte(text.String()), 0o644)
}

// server returns the server with the configuration, not started.
func (n *node) server() (*Server, error) {
	if err := n.write(); err != nil {
		return nil, err
	}
	program, err := exec.LookPath("clickhouse-server")
	if err != nil {
		program = "/usr/sbin/clickhouse-server" // which users other than root may not look into
	}
	s := &Server{Addr: "127.0.0.1:" + n.HTTP}
	s.process = process{dir: n.Dir, command: []string{program, "--config-file=server.xml"}, ready: s.ping}
	return s, nil
}

// ports returns free ports.
func ports(n int) ([]string, error) {
	found, err := freeport.Addresses(n)
	for i, at := range found {
		_, found[i], _ = net.SplitHostPort(at)
	}
	return found, err
}

// StartSingle starts a server of Debian's version in dir, which must be empty.
func StartSingle(dir string) (*Server, error) { return startSingle(dir, false) }

// StartTLS starts a server of Debian's version in dir, which must be empty. It also answers
// over TLS: at Server.TLS, with the certificate in Server.CA.
func StartTLS(dir string) (*Server, error) { return startSingle(dir, true) }

func startSingle(dir string, encrypted bool) (*Server, error) {
	if _, err := install("server"); err != nil {
		return nil, err
	}
	at, err := ports(4)
	if err != nil {
		return nil, err
	}
	n := &node{Dir: dir, HTTP: at[0], TCP: at[1], Interserver: at[2]}
	if encrypted {
		n.HTTPS = at[3]
	}
	s, err := n.server()
	if err != nil {
		return nil, err
	}
	if encrypted {
		s.TLS, s.CA = "127.0.0.1:"+n.HTTPS, filepath.Join(dir, "cert.pem")
		if err := writeCertificate(s.CA, filepath.Join(dir, "key.pem")); err != nil {
			return nil, err
		}
	}
	return s, s.start()
}

// writeCertificate writes a self-signed certificate for 127.0.0.1 and its key.
func writeCertificate(cert, key string) error {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	signed, err := x509.CreateCertificate(rand.Reader, of, of, &private.PublicKey, private)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), 0o644),
		os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600),
	)
}

// StartToday starts a current engine in dir, which must be empty. A shim provides its HTTP
// interface: see today.py.
func StartToday(dir string) (*Server, error) {
	home, err := install("today")
	if err != nil {
		return nil, err
	}
	at, err := ports(1)
	if err != nil {
		return nil, err
	}
	shim, err := files.ReadFile("today.py")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "today.py")
	if err := os.WriteFile(file, shim, 0o644); err != nil {
		return nil, err
	}
	s := &Server{Addr: "127.0.0.1:" + at[0]}
	s.process = process{
		dir: dir, env: []string{"PYTHONPATH=" + home}, ready: s.ping,
		command: []string{"python3", file, filepath.Join(dir, "data"), at[0]},
	}
	return s, s.start()
}

// startZooKeeper starts Debian's ZooKeeper in dir, which must be empty.
func startZooKeeper(dir, port string) (*process, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	// Sessions are short, as a replica that comes back waits for that of the one that was killed.
	settings := fmt.Sprintf("tickTime=500\nmaxClientCnxns=0\ndataDir=%s\nclientPort=%s\nclientPortAddress=127.0.0.1\n"+
		"admin.enableServer=false\n4lw.commands.whitelist=srvr\n", filepath.Join(dir, "data"), port)
	if err := os.WriteFile(filepath.Join(dir, "zoo.cfg"), []byte(settings), 0o644); err != nil {
		return nil, err
	}
	p := &process{dir: dir, command: []string{
		"java", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-Dzookeeper.forceSync=no", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
		"-cp", "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar",
		"org.apache.zookeeper.server.quorum.QuorumPeerMain", "zoo.cfg",
	}}
	p.ready = func() error {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return err
		}
		defer c.Close()
		if err := c.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
			return err
		}
		if _, err := c.Write([]byte("srvr")); err != nil {
			return err
		}
		// It answers before it takes sessions, and a server that is turned away then crashes.
		answer, err := io.ReadAll(c)
		if err != nil || !strings.Contains(string(answer), "Mode: standalone") {
			return errors.Join(fmt.Errorf("ZooKeeper answers %q", answer), err)
		}
		return nil
	}
	return p, p.start()
}

// InstallCluster installs what a cluster needs.
func InstallCluster() error {
	_, err := install("cluster")
	return err
}
