package kafkaload

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/kafkaload/kafkatest"
)

// A broker is killed and comes back. Who waits long enough loses nothing, and who
// doesn't has failures and ends in time.
func TestBrokerKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("a broker takes long to come back")
	}
	b := realBroker(t)
	o := options(t)
	o.Retries = -1
	s := open(t, o)
	o.Topic += ".impatient"
	o.Timeout, o.Drain = time.Second, 100*time.Millisecond
	impatient := open(t, o)
	o.Topic += ".flood"
	flooding := open(t, o)
	warm := options(t) // a broker that has just started takes long for its first messages
	warm.Topic += ".warm"
	w := open(t, warm)
	wantAll(t, w, flood(t, w, 1000), 1000)
	gone := make(chan struct{})
	restarted := make(chan error, 1)
	go func() {
		time.Sleep(time.Second)
		b.Kill()
		close(gone)
		time.Sleep(2 * time.Second)
		restarted <- b.Restart()
	}()
	type result struct {
		*load.Result
		took time.Duration
	}
	ended := make(chan result, 1)
	go func() {
		start := time.Now()
		p, _ := load.Constant(500, 3*time.Second)
		res, _ := load.Run(context.Background(), p, impatient, load.Options{Grace: time.Second})
		ended <- result{res, time.Since(start)}
	}()
	flooded := make(chan *load.Result, 1)
	go func() {
		<-gone
		// Flood is for the goroutine that Run is for, so it has a Sender of its own.
		res, _ := flooding.Flood(context.Background(), 1<<50, 0, load.Options{Grace: time.Second})
		flooded <- res
	}()
	go func() {
		<-gone
		if _, err := New(context.Background(), o); err == nil || !strings.Contains(err.Error(), "refused") {
			t.Errorf("to a broker that is gone: %v", err)
		}
	}()
	const rate, seconds = 5000, 3
	res := runAt(t, s, rate, seconds*time.Second, load.Options{Grace: 2 * time.Minute})
	if err := <-restarted; err != nil {
		t.Fatal(err)
	}
	d := wantAll(t, s, res, rate*seconds)
	t.Logf("acknowledged after %v at most, arrived after %v", *res.Response.Max, *d.Time.Max)

	got := <-ended
	c := classes(got.Result)
	if got.Succeeded == 0 || c["refused"]+c["timeout"]+c["no answer by the end"] != got.Failed || got.Failed == 0 || got.Requests() != 1500 {
		t.Errorf("impatient: %d acknowledged, failed: %v", got.Succeeded, c)
	}
	if got.took > 3*time.Minute {
		t.Errorf("impatient: it took %v", got.took)
	}
	if res := <-flooded; res.Stopped == "" || res.Failed == 0 {
		t.Errorf("flood: %d acknowledged, %d failed, stopped: %s", res.Succeeded, res.Failed, res.Stopped)
	} else {
		t.Logf("flood: %d failed, stopped: %s", res.Failed, res.Stopped)
	}
	// What failed may have arrived, but nothing that was acknowledged is lost.
	impatient.opts.Drain = time.Minute
	if d := impatient.Delivery(context.Background(), nil); d.Lost != 0 || d.Doubled != 0 || d.Incomplete != "" {
		t.Errorf("impatient: %+v", d)
	}
	after := runAt(t, impatient, 100, time.Second, load.Options{})
	if after.Succeeded == 0 {
		t.Errorf("after a run that gave up nothing is sent: %+v", after.Failures)
	}
}

func TestBadTopic(t *testing.T) {
	o := options(t)
	o.Create = 0
	wantError(t, o, "UNKNOWN_TOPIC")
	o.Create, o.Topic = 1, "no topic"
	wantError(t, o, "INVALID_TOPIC")
	o = options(t)
	o.Create, o.Replicas = 1, 3
	wantError(t, o, "can't create it", "INVALID_REPLICATION_FACTOR")
	o = options(t)
	o.Create, o.Partitioner, o.Partition = 2, "manual", 2
	wantError(t, o, "no partition 2; it has 2")
}

func wantError(t *testing.T, o Options, parts ...string) {
	t.Helper()
	start := time.Now()
	s, err := New(context.Background(), o)
	if err == nil {
		_ = s.Close()
		t.Errorf("no error; want one of %q", parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v; want %q", err, part)
		}
	}
	if took := time.Since(start); took > 3*time.Minute {
		t.Errorf("it took %v to say: %v", took, err)
	}
}

func TestUnreachable(t *testing.T) {
	o := Options{Topic: "t", Values: values(t, "v"), DialTimeout: time.Second, RequestTimeout: time.Second}
	o.Brokers = []string{"127.0.0.1:1"}
	wantError(t, o, "127.0.0.1:1", "refused")
	o.Brokers = []string{"no.such.host.invalid:9092"}
	wantError(t, o, "no.such.host.invalid")

	l, err := net.Listen("tcp", "127.0.0.1:0") // It takes connections and says nothing.
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o.Brokers = []string{l.Addr().String()}
	wantError(t, o, l.Addr().String())
}

func TestTooLarge(t *testing.T) {
	o := options(t)
	o.Consume = false
	o.Values = append(values(t, "{{letters 1048000}}"), text(t, "small"))
	want := map[string]int64{"message too large": 5}
	if got := flood(t, open(t, o), 10); got.Succeeded != 5 || classes(got)["message too large"] != want["message too large"] {
		t.Errorf("for the client: %d acknowledged, failed: %+v", got.Succeeded, got.Failures)
	}
	o.BatchBytes = 4 << 20
	o.Linger = -1
	o.Values = values(t, "{{letters 1048576}}")
	if got := flood(t, open(t, o), 3); got.Failed != 3 || classes(got)["message too large"] != 3 || len(got.Failures[0].Samples) == 0 {
		t.Errorf("for the broker: %d acknowledged, failed: %+v", got.Succeeded, got.Failures)
	}
}

// openSoon is open, of what brokers learn a moment later: who may log in, and who may do what.
func openSoon(t testing.TB, o Options) *Sender {
	t.Helper()
	for until := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		s, err := New(context.Background(), o)
		if err == nil {
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
		if time.Now().After(until) {
			t.Fatal(err)
		}
	}
}

func TestAuthorization(t *testing.T) {
	b := realBroker(t)
	admin := kadm.NewClient(client(t, b.Addr))
	ctx := context.Background()
	for _, mechanism := range []string{"scram-256", "scram-512"} {
		if err := b.SetPassword(ctx, mechanism, kafkatest.Admin, "of-"+mechanism); err != nil {
			t.Fatal(err)
		}
	}
	for mechanism, password := range map[string]string{
		"plain": kafkatest.AdminPassword, "scram-256": "of-scram-256", "scram-512": "of-scram-512",
	} {
		t.Run(mechanism, func(t *testing.T) {
			o := options(t)
			o.Brokers, o.SASL, o.User, o.Password = []string{b.SASL}, mechanism, kafkatest.Admin, password
			s := openSoon(t, o)
			wantAll(t, s, flood(t, s, 10), 10)
			o.Password += "?"
			wantError(t, o, b.SASL, "SASL_AUTHENTICATION_FAILED")
		})
	}
	o := options(t)
	open(t, o) // It makes the topic.
	o.Brokers, o.SASL, o.User, o.Password = []string{b.SASL}, "plain", kafkatest.User, kafkatest.UserPassword
	o.Consume = false
	wantError(t, o, o.Topic, "TOPIC_AUTHORIZATION_FAILED")
	acl := kadm.NewACLs().Topics(o.Topic).ResourcePatternType(kadm.ACLPatternLiteral).
		Allow("User:" + kafkatest.User).AllowHosts().Operations(kadm.OpDescribe)
	if got, err := admin.CreateACLs(ctx, acl); err != nil || got[0].Err != nil {
		t.Fatal(err, got)
	}
	for class, without := range map[string]bool{"topic authorization failed": true, "cluster authorization failed": false} {
		o.NoIdempotent = without // Idempotence takes a right of its own, which a right to write brings with it.
		if got := flood(t, openSoon(t, o), 10); classes(got)[class] != 10 {
			t.Errorf("who may not write: %d acknowledged, failed: %+v", got.Succeeded, got.Failures)
		}
	}
}

func client(t *testing.T, addr string) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(addr))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestTLS(t *testing.T) {
	b := realBroker(t)
	o := options(t)
	o.Brokers = []string{b.TLS}
	var err error
	if o.TLS, err = b.ClientTLS(true); err != nil {
		t.Fatal(err)
	}
	s := open(t, o)
	wantAll(t, s, flood(t, s, 10), 10)
	o.TLS.RootCAs = nil
	wantError(t, o, b.TLS, "x509:")
	if o.TLS, err = b.ClientTLS(false); err != nil {
		t.Fatal(err)
	}
	wantError(t, o, b.TLS, "certificate")
	o.TLS = nil
	o.DialTimeout, o.RequestTimeout = time.Second, time.Second
	wantError(t, o, b.TLS)
}

func TestOptions(t *testing.T) {
	good := Options{Brokers: []string{"127.0.0.1:1"}, Topic: "t", Values: values(t, "v")}
	for want, set := range map[string]func(*Options){
		"no broker":                 func(o *Options) { o.Brokers = nil },
		"no topic":                  func(o *Options) { o.Topic = "" },
		"no value":                  func(o *Options) { o.Values = nil },
		"exclude idempotence":       func(o *Options) { o.Acks = "leader" },
		`unknown acks "some"`:       func(o *Options) { o.Acks, o.NoIdempotent = "some", true },
		`unknown compression "rar"`: func(o *Options) { o.Compression = "rar" },
		`unknown partitioner "any"`: func(o *Options) { o.Partitioner = "any" },
		`unknown SASL "md5"`:        func(o *Options) { o.SASL, o.User = "md5", "u" },
		"needs a user":              func(o *Options) { o.SASL = "plain" },
		"invalid batch size 1":      func(o *Options) { o.BatchBytes = 1 },
		"needs the partitioner":     func(o *Options) { o.Partition = 1 },
		"negative":                  func(o *Options) { o.Create = -1 },
		"timeouts":                  func(o *Options) { o.Timeout = time.Millisecond },
	} {
		o := good
		set(&o)
		wantError(t, o, want)
	}
}
