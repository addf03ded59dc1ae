//go:build unix

package grpcload

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/hone-go/hone/internal/load"
)

// serveVariable makes the test binary a server: what it costs is not the client's.
const serveVariable = "HONE_GRPCLOAD_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) != "" {
		if err := serveBytes(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A rawCodec passes messages on as they are.
type rawCodec struct{}

func (rawCodec) Marshal(v any) ([]byte, error)      { return *v.(*[]byte), nil }
func (rawCodec) Unmarshal(data []byte, v any) error { *v.(*[]byte) = data; return nil }
func (rawCodec) Name() string                       { return "proto" }

// serveBytes answers Echo.One with the request until its input ends.
func serveBytes() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := grpc.NewServer(grpc.ForceServerCodec(rawCodec{}))
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "echo.v1.Echo", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{MethodName: "One",
		Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			var b []byte
			return &b, decode(&b)
		}}}}, nil)
	go s.Serve(l)
	fmt.Println(l.Addr())
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	s.Stop()
	return nil
}

// startServer starts such a server as a process of its own.
func startServer(b *testing.B) (address string) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveVariable+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// cpu returns the time that this process has computed.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

const (
	benchConnections = 2
	benchCalls       = 50
	benchData        = `{"text": "to be, or not to be", "code": 17, "big": "123456789"}`
	benchTemplate    = `{"text": "{{one "love" "death" "night"}} {{n}}", "code": {{int 1 17}}, "big": "{{int 1 1000000}}"}`
)

// report reports CPU time a call; time a call is as much the server's.
func report(b *testing.B, used time.Duration, calls int) {
	b.ReportMetric(float64(used)/float64(calls), "cpu-ns/op")
	b.ReportMetric(float64(calls)/used.Seconds(), "calls/cpu-s")
}

// BenchmarkCall makes unary calls, 50 at a time over 2 connections, and tells what
// they cost the client's process: here, of grpc-go with a codec that does nothing,
// and of ghz, where there is one in the path. The server is another process.
func BenchmarkCall(b *testing.B) {
	address := startServer(b)
	for _, data := range []struct{ name, text string }{{"static", benchData}, {"template", benchTemplate}} {
		o := Options{Address: address, Method: "echo.v1.Echo/One", Protos: []string{"testdata/echo.proto"}, Data: data.text,
			Connections: benchConnections, Calls: benchCalls}
		b.Run("sender/"+data.name, func(b *testing.B) { benchSender(b, o, 0) })
		b.Run("paced/"+data.name, func(b *testing.B) { benchSender(b, o, benchRate) })
		b.Run("users/"+data.name, func(b *testing.B) { benchUsers(b, o) })
	}
	b.Run("grpc-go", func(b *testing.B) { benchGRPC(b, address) })
	b.Run("ghz", func(b *testing.B) { benchGHZ(b, address, benchData, 0) })
	b.Run("ghz-paced", func(b *testing.B) { benchGHZ(b, address, benchData, benchRate) })
}

// benchRate is what the paced ones send at, in calls per second.
const benchRate = 2000

func benchSender(b *testing.B, o Options, rate float64) {
	s := newDriver(b, o).Sender()
	defer s.Close()
	if rate > 0 {
		p, err := load.Constant(rate, time.Duration(float64(b.N)/rate*float64(time.Second))+1)
		if err != nil {
			b.Fatal(err)
		}
		before := cpu()
		res, err := load.Run(b.Context(), p, s, load.Options{})
		if err != nil || res.Failed > 0 {
			b.Fatal(err, res.Failures)
		}
		report(b, cpu()-before, b.N)
		return
	}
	clock := load.NewClock()
	free := make(chan struct{}, benchCalls)
	failed := make(chan string, 1)
	done := func(_ load.Request, o load.Outcome) {
		if o.Failure != nil {
			select {
			case failed <- o.Failure.Text:
			default:
			}
		}
		<-free
	}
	before := cpu()
	for n := range b.N {
		free <- struct{}{}
		s.Send(b.Context(), clock, load.Request{N: int64(n)}, done)
	}
	for range benchCalls {
		free <- struct{}{}
	}
	report(b, cpu()-before, b.N)
	select {
	case text := <-failed:
		b.Error(text)
	default:
	}
}

func benchUsers(b *testing.B, o Options) {
	d, users := newDriver(b, o), load.Users{Users: benchCalls, Requests: (b.N + benchCalls - 1) / benchCalls, Rounds: 1}
	before := cpu()
	res, err := load.RunUsers(b.Context(), d, users, load.Options{}, nil)
	if err != nil || res.Failed > 0 {
		b.Fatal(err, res.Failures)
	}
	report(b, cpu()-before, b.N)
}

func benchGRPC(b *testing.B, address string) {
	var conns []*grpc.ClientConn
	for range benchConnections {
		c, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.ForceCodec(rawCodec{})))
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		conns = append(conns, c)
	}
	body := newDriver(b, Options{Address: address, Method: "echo.v1.Echo/One", Protos: []string{"testdata/echo.proto"}, Data: benchData}).messages.body
	body = body[5 : 5+binary.BigEndian.Uint32(body[1:])]
	before := cpu()
	ended := make(chan error, benchCalls)
	for i := range benchCalls {
		go func() {
			for range (b.N + benchCalls - 1 - i) / benchCalls {
				var out []byte
				if err := conns[i%benchConnections].Invoke(b.Context(), "/echo.v1.Echo/One", &body, &out); err != nil {
					ended <- err
					return
				}
			}
			ended <- nil
		}()
	}
	for range benchCalls {
		if err := <-ended; err != nil {
			b.Fatal(err)
		}
	}
	report(b, cpu()-before, b.N)
}

// benchGHZ runs ghz; what its start costs is taken off by a run of few calls.
func benchGHZ(b *testing.B, address, data string, rate int) {
	path, err := exec.LookPath(cmp.Or(os.Getenv("GHZ"), "ghz"))
	if err != nil {
		b.Skip("there is no ghz in the path")
	}
	run := func(n int) time.Duration {
		cmd := exec.Command(path, "--insecure", "--proto", "testdata/echo.proto", "--call", "echo.v1.Echo.One", "-d", data,
			"-c", strconv.Itoa(benchCalls), "--connections", strconv.Itoa(benchConnections), "-n", strconv.Itoa(n), "-r", strconv.Itoa(rate), "-O", "json", address)
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), fmt.Sprintf(`"OK":%d`, n)) && !strings.Contains(string(out), fmt.Sprintf(`"OK": %d`, n)) {
			b.Fatal(err, string(out))
		}
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	used := run(b.N+benchCalls) - run(benchCalls)
	report(b, used, b.N)
}
