// Package kafkatest starts a real Kafka broker for tests: see test/kafka/broker.sh.
package kafkatest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/hone-go/hone/internal/freeport"
)

// ErrMissing says that the machine has no Java or Maven, and that CI isn't where
// this happens: tests are skipped.
var ErrMissing = errors.New("no Kafka broker: Java 17, Maven or a shell is missing")

// A Broker is a node that is broker and controller, on the loopback interface.
// Who connects without a name may do everything; User and Admin are known by
// SASL, of whom User may do nothing.
type Broker struct {
	Addr string // without encryption or authentication
	SASL string // with SASL: plain, SCRAM for whom a test names; without encryption
	TLS  string // with TLS and a client's certificate
	Dir  string // what it keeps; certificates are in Dir/tls

	script  string
	process *os.Process
	stdin   io.Closer
	ended   chan error
}

// Users of SASL.
const (
	Admin, AdminPassword = "admin", "of-the-broker"
	User, UserPassword   = "user", "without-rights"
)

// ForTest starts a broker that ends with the test. Where it is missing the test is
// skipped, except in CI; with -short, see [SkipShort].
func ForTest(t testing.TB) *Broker {
	t.Helper()
	SkipShort(t)
	b, err := Start(t.TempDir())
	SkipMissing(t, err)
	t.Cleanup(b.Kill)
	return b
}

// SkipShort skips a test that starts a broker with -short, unless HONE_REAL=1.
func SkipShort(t testing.TB) {
	t.Helper()
	if testing.Short() && os.Getenv("HONE_REAL") == "" {
		t.Skip("starts a broker")
	}
}

// SkipMissing ends a test that has no broker, for the error of Start.
func SkipMissing(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, ErrMissing) && os.Getenv("CI") != "true" {
		fmt.Fprintln(os.Stderr, "== SKIPPED, since Java 17 or Maven is missing: tests against a Kafka broker")
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Start starts a broker with an empty folder and waits until it answers.
func Start(dir string) (*Broker, error) {
	_, here, _, _ := runtime.Caller(0)
	b := &Broker{Dir: dir, script: filepath.Join(filepath.Dir(here), "../../../../test/kafka/broker.sh")}
	ports, err := freeport.Addresses(4)
	if err != nil {
		return nil, err
	}
	b.Addr, b.SASL, b.TLS = ports[0], ports[1], ports[2]
	if err := writeCertificates(filepath.Join(dir, "tls")); err != nil {
		return nil, err
	}
	// The session is short, as a broker that comes back may not be leader before that of
	// the one that was killed is over.
	settings := strings.NewReplacer("@plain@", b.Addr, "@sasl@", b.SASL, "@tls@", b.TLS, "@control@", ports[3], "@dir@", dir,
		"@users@", fmt.Sprintf("user_%s=%q user_%s=%q", Admin, AdminPassword, User, UserPassword)).Replace(`
listeners=PLAINTEXT://@plain@,SASL://@sasl@,SSL://@tls@,CONTROLLER://@control@
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SASL:SASL_PLAINTEXT,SSL:SSL,CONTROLLER:PLAINTEXT
inter.broker.listener.name=PLAINTEXT
controller.quorum.voters=1@@control@
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
listener.name.sasl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required @users@;
listener.name.sasl.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.sasl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS;User:admin;User:CN=client
ssl.client.auth=required
ssl.keystore.type=PEM
ssl.keystore.location=@dir@/tls/server.pem
ssl.truststore.type=PEM
ssl.truststore.location=@dir@/tls/ca.pem
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=2000
`)
	if err := os.WriteFile(filepath.Join(dir, "settings"), []byte(settings), 0o644); err != nil {
		return nil, err
	}
	return b, b.Restart()
}

// patience is how long a broker may take to start, on a busy machine too, and to
// be fetched.
const patience = 3 * time.Minute

// Restart starts a broker that was killed, with what it kept, and waits until it
// answers.
func (b *Broker) Restart() error {
	log, err := os.OpenFile(filepath.Join(b.Dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command("sh", b.script, "run", b.Dir, filepath.Join(b.Dir, "settings"))
	cmd.Stdout, cmd.Stderr = log, log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); errors.Is(err, exec.ErrNotFound) {
		return ErrMissing
	} else if err != nil {
		return err
	}
	b.process, b.stdin, b.ended = cmd.Process, stdin, make(chan error, 1)
	go func() { b.ended <- cmd.Wait() }()
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Addr))
	if err != nil {
		return err
	}
	defer client.Close()
	for until := time.Now().Add(patience); time.Now().Before(until); {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		err = client.Ping(ctx)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case err := <-b.ended:
			b.ended <- err
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.ExitCode() == 3 {
				return ErrMissing
			}
			text, _ := os.ReadFile(log.Name())
			return fmt.Errorf("the broker ended: %w\n%s", err, text[max(0, len(text)-4000):])
		case <-time.After(100 * time.Millisecond):
		}
	}
	b.Kill()
	return fmt.Errorf("the broker does not answer: %w", err)
}

// SetPassword has the broker know a user by SCRAM, "scram-256" or "scram-512", a
// moment later.
func (b *Broker) SetPassword(ctx context.Context, mechanism, user, password string) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Addr))
	if err != nil {
		return err
	}
	defer client.Close()
	scram := kadm.UpsertSCRAM{User: user, Mechanism: kadm.ScramSha256, Iterations: 4096, Password: password}
	if mechanism == "scram-512" {
		scram.Mechanism = kadm.ScramSha512
	}
	altered, err := kadm.NewClient(client).AlterUserSCRAMs(ctx, nil, []kadm.UpsertSCRAM{scram})
	if err != nil {
		return err
	}
	return altered.Error()
}

// Pause has the broker stand still, with its connections open, until Resume, which returns when
// it answers again.
func (b *Broker) Pause() error { return b.signal("STOP") }

// Resume ends what Pause began.
func (b *Broker) Resume() error {
	if err := b.signal("CONT"); err != nil {
		return err
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Addr))
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return client.Ping(ctx)
}

// signal sends a signal to the broker, in which the script has become Kafka.
func (b *Broker) signal(name string) error {
	text, err := exec.Command("kill", "-"+name, strconv.Itoa(b.process.Pid)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("signal %s to the broker: %w: %s", name, err, text)
	}
	return nil
}

// Kill ends the broker as kill -9 does.
func (b *Broker) Kill() {
	_ = b.stdin.Close()
	b.ended <- <-b.ended
}

// ClientTLS returns settings of a client that the broker lets in, or that brings
// no certificate.
func (b *Broker) ClientTLS(certificate bool) (*tls.Config, error) {
	ca, err := os.ReadFile(filepath.Join(b.Dir, "tls/ca.pem"))
	if err != nil {
		return nil, err
	}
	c := &tls.Config{RootCAs: x509.NewCertPool()}
	if !c.RootCAs.AppendCertsFromPEM(ca) {
		return nil, errors.New("no certificate in ca.pem")
	}
	if certificate {
		file := filepath.Join(b.Dir, "tls/client.pem")
		pair, err := tls.LoadX509KeyPair(file, file)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
