package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hone-go/hone/bench/rusage"
)

// A costing compares what generators take for the same load.
type costing struct {
	hone        string
	length      time.Duration
	rounds      int
	rate, users int
	broker      string
	only        string
}

// A generator is a command, and how to read what it did.
type generator struct {
	name   string
	args   []string
	input  string
	result func(out []byte) (outcome, error)
}

// An outcome is what a generator says of its requests.
type outcome struct {
	n        float64 // that were answered
	p50, p99 time.Duration
	lag      lag
}

// lag is how much later requests were sent than they were due, where a generator tells it.
type lag struct{ p50, p99, p999, max time.Duration }

// A measured generator has run once.
type measured struct {
	outcome
	elapsed         time.Duration
	cpu             time.Duration // user and system, of the whole process
	peak, anonymous int64         // bytes
}

// A contest is the same load by several generators.
type contest struct {
	title      string
	generators []generator
}

// cost runs the contests, each generator in turn, and prints the medians.
func cost(c costing) error {
	work, err := os.MkdirTemp("", "hone-load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	http, stop, err := start("serve-quick")
	if err != nil {
		return err
	}
	defer stop()
	grpc, stop, err := start("serve-grpc")
	if err != nil {
		return err
	}
	defer stop()
	proto := filepath.Join(work, "echo.proto")
	if err := os.WriteFile(proto, []byte(echoProto), 0o666); err != nil {
		return err
	}
	if err := c.createTopic(); err != nil {
		return err
	}
	for _, contest := range slices.Concat(c.http(work, "http://"+http+"/"), c.grpc(work, grpc, proto), c.kafka(work)) {
		if strings.Contains(contest.title, c.only) {
			if err := c.run(contest); err != nil {
				return err
			}
		}
	}
	return nil
}

// run measures a contest.
func (c costing) run(contest contest) error {
	fmt.Printf("\n%s\n%-10s %10s %10s %12s %10s %10s %10s %10s %8s\n", contest.title, "", "requests", "per s", "CPU µs each", "peak MB", "anon MB", "p50 ms", "p99 ms", "CPU/hone")
	all := make(map[string][]measured)
	for round := range c.rounds {
		for _, g := range contest.generators {
			if _, err := exec.LookPath(g.args[0]); err != nil {
				if round == 0 {
					fmt.Printf("%-10s is not in the path\n", g.name)
				}
				continue
			}
			m, err := c.measure(g)
			if err != nil {
				return fmt.Errorf("%s: %w", g.name, err)
			}
			all[g.name] = append(all[g.name], m)
		}
	}
	first := 0.0
	for _, g := range contest.generators {
		if len(all[g.name]) == 0 {
			continue
		}
		of := func(f func(m measured) float64) float64 {
			var values []float64
			for _, m := range all[g.name] {
				values = append(values, f(m))
			}
			slices.Sort(values)
			return values[len(values)/2]
		}
		each := of(func(m measured) float64 { return float64(m.cpu.Microseconds()) / m.n })
		if first == 0 {
			first = each
		}
		ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
		fmt.Printf("%-10s %10.0f %10.0f %12.1f %10.1f %10.1f %10.2f %10.2f %8.2f\n", g.name,
			of(func(m measured) float64 { return m.n }), of(func(m measured) float64 { return m.n / m.elapsed.Seconds() }), each,
			of(func(m measured) float64 { return float64(m.peak) / 1e6 }), of(func(m measured) float64 { return float64(m.anonymous) / 1e6 }),
			of(func(m measured) float64 { return ms(m.p50) }), of(func(m measured) float64 { return ms(m.p99) }), each/first)
	}
	for _, g := range contest.generators {
		var sent, slept []lag
		for _, m := range all[g.name] {
			if m.lag != (lag{}) {
				sent, slept = append(sent, m.lag), append(slept, sleepLag(c.rate, c.length))
			}
		}
		if len(sent) > 0 {
			fmt.Printf("%-10s late in the quietest round: requests %v; waking up from sleep alone %v\n", g.name, quietest(sent), quietest(slept))
		}
	}
	return nil
}

// quietest returns the least of some measurements: other programs make requests late, too.
func quietest(all []lag) lag {
	return slices.MinFunc(all, func(a, b lag) int { return cmp.Compare(a.max, b.max) })
}

func (l lag) String() string {
	ms := func(d time.Duration) string {
		return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 2, 64)
	}
	return fmt.Sprintf("p50 %s, p99 %s, p99.9 %s, max %s ms", ms(l.p50), ms(l.p99), ms(l.p999), ms(l.max))
}

// sleepLag is what a loop has that sleeps until each request would be due, and does nothing else: no
// generator that sleeps is less late on this machine.
func sleepLag(rate int, length time.Duration) lag {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	late := make([]time.Duration, max(1, int(float64(rate)*length.Seconds())))
	start := time.Now()
	for i := range late {
		due := time.Duration(i) * time.Second / time.Duration(rate)
		sleep(due - time.Since(start))
		late[i] = time.Since(start) - due
	}
	slices.Sort(late)
	at := func(share float64) time.Duration { return late[min(int(share*float64(len(late))), len(late)-1)] }
	return lag{at(.5), at(.99), at(.999), at(1)}
}

// measure runs a generator.
func (c costing) measure(g generator) (m measured, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*c.length+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, g.args[0], g.args[1:]...)
	cmd.Stdin = strings.NewReader(g.input)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return m, err
	}
	done := make(chan struct{})
	anonymous := watchAnonymous(cmd, done)
	err = cmd.Wait()
	close(done)
	m.elapsed, m.anonymous, m.peak = time.Since(begin), <-anonymous, rusage.PeakMemory(cmd.ProcessState)
	m.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if m.outcome, err = g.result(out.Bytes()); err == nil && m.n == 0 {
		err = errors.New("no request was answered")
	}
	if err != nil {
		return m, fmt.Errorf("%w\n%s%s", err, out.Bytes(), said.Bytes())
	}
	return m, nil
}

// ours returns hone's arguments of a load.
func (c costing) ours(work, protocol string, args ...string) []string {
	return append([]string{c.hone, "load", protocol, "-duration", c.length.String(), "-count", "1", "-warmup", "0s", "-json", "-o", work}, args...)
}

func (c costing) http(work, url string) []contest {
	rate, users, seconds := strconv.Itoa(c.rate), strconv.Itoa(c.users), strconv.Itoa(int(c.length.Seconds()))
	attack := filepath.Join(work, "vegeta.bin")
	wrk := func(threads string) generator {
		return generator{"wrk -t" + threads, []string{"wrk", "-t", threads, "-c", users, "-d", seconds, "--latency", url}, "", wrkResult}
	}
	vegeta := func(args ...string) generator {
		args = append([]string{"vegeta", "attack", "-duration", c.length.String(), "-output", attack}, args...)
		return generator{"vegeta", args, "GET " + url + "\n", func([]byte) (outcome, error) { return vegetaResult(attack) }}
	}
	return []contest{
		{fmt.Sprintf("HTTP at %d/s", c.rate), []generator{
			{"hone", c.ours(work, "http", "-rate", rate, url), "", honeResult},
			vegeta("-rate", rate),
			{"hey", []string{"hey", "-z", c.length.String(), "-c", "50", "-q", strconv.Itoa(c.rate / 50), url}, "", heyResult},
		}},
		{fmt.Sprintf("HTTP by %d users", c.users), []generator{
			{"hone", c.ours(work, "http", "-users", users, url), "", honeResult},
			wrk("1"), wrk("2"),
			{"hey", []string{"hey", "-z", c.length.String(), "-c", users, url}, "", heyResult},
			vegeta("-rate", "0", "-max-workers", users),
		}},
	}
}

func (c costing) grpc(work, address, proto string) []contest {
	const body = `{"text":"to be, or not to be"}`
	rate, users := strconv.Itoa(c.rate), strconv.Itoa(c.users)
	ghz := func(args ...string) generator {
		args = append([]string{"ghz", "--insecure", "--proto", proto, "--call", "echo.v1.Echo.One", "-d", body, "-z", c.length.String(), "-O", "json"}, args...)
		return generator{"ghz", append(args, address), "", ghzResult}
	}
	ours := func(args ...string) generator {
		args = append(args, "-proto", proto, "-body", body, address, "echo.v1.Echo/One")
		return generator{"hone", c.ours(work, "grpc", args...), "", honeResult}
	}
	return []contest{
		{fmt.Sprintf("gRPC at %d/s", c.rate), []generator{ours("-rate", rate), ghz("-r", rate)}},
		{fmt.Sprintf("gRPC by %d users", c.users), []generator{ours("-users", users), ghz("-c", users)}},
	}
}

// topic is what messages go to.
const topic = "cost"

func (c costing) createTopic() error {
	if c.broker == "" {
		return nil
	}
	out, err := exec.Command("sh", "test/kafka/broker.sh", "tool", "org.apache.kafka.tools.TopicCommand", "--bootstrap-server", c.broker,
		"--create", "--if-not-exists", "--topic", topic, "--partitions", "4").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("topic %s: %w\n%s", topic, err, out)
	}
	return err
}

// kafka is for a broker that is there. The other client is Kafka's; see bench/kafka for
// messages as fast as the broker takes them.
func (c costing) kafka(work string) []contest {
	if c.broker == "" {
		return nil
	}
	rate := strconv.Itoa(c.rate)
	return []contest{{fmt.Sprintf("Kafka at %d/s", c.rate), []generator{
		{"hone", c.ours(work, "kafka", "-rate", rate, "-topic", topic, "-body", strings.Repeat("x", 100), c.broker), "", honeResult},
		{"perf-test", []string{"sh", "test/kafka/broker.sh", "tool", "org.apache.kafka.tools.ProducerPerformance", "--topic", topic,
			"--num-records", strconv.Itoa(int(float64(c.rate) * c.length.Seconds())), "--record-size", "100", "--throughput", rate,
			"--producer-props", "bootstrap.servers=" + c.broker, "acks=all", "linger.ms=5"}, "", perfResult},
	}}}
}

func honeResult(out []byte) (o outcome, err error) {
	var r struct {
		Succeeded     float64
		Asked         float64
		Response, Lag map[string]*time.Duration
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return o, err
	}
	o.n = r.Succeeded
	if r.Response["p50"] != nil && r.Response["p99"] != nil {
		o.p50, o.p99 = *r.Response["p50"], *r.Response["p99"]
	}
	at := func(quantile string) time.Duration {
		if d := r.Lag[quantile]; d != nil {
			return *d
		}
		return 0
	}
	if r.Asked != 0 { // users send when the last answer is there
		o.lag = lag{at("p50"), at("p99"), at("p99.9"), at("max")}
	}
	return o, nil
}

func vegetaResult(attack string) (o outcome, err error) {
	out, err := exec.Command("vegeta", "report", "-type", "json", attack).Output()
	if err != nil {
		return o, err
	}
	var r struct {
		StatusCodes map[string]float64       `json:"status_codes"`
		Latencies   map[string]time.Duration `json:"latencies"`
	}
	err = json.Unmarshal(out, &r)
	return outcome{n: r.StatusCodes["200"], p50: r.Latencies["50th"], p99: r.Latencies["99th"]}, err
}

func ghzResult(out []byte) (o outcome, err error) {
	var r struct {
		StatusCodeDistribution map[string]float64
		LatencyDistribution    []struct {
			Percentage int
			Latency    time.Duration
		}
	}
	err = json.Unmarshal(out, &r)
	o.n = r.StatusCodeDistribution["OK"]
	for _, l := range r.LatencyDistribution {
		switch l.Percentage {
		case 50:
			o.p50 = l.Latency
		case 99:
			o.p99 = l.Latency
		}
	}
	return o, err
}

var (
	wrkLines  = lines{regexp.MustCompile(`(\d+) requests in`), regexp.MustCompile(`(?m)^\s+50%\s+(\S+)`), regexp.MustCompile(`(?m)^\s+99%\s+(\S+)`), ""}
	heyLines  = lines{regexp.MustCompile(`\[200\]\s+(\d+) responses`), regexp.MustCompile(`50%+ in (\S+) secs`), regexp.MustCompile(`99%+ in (\S+) secs`), "s"}
	perfLines = lines{regexp.MustCompile(`(?m)^(\d+) records sent.* 99th`), regexp.MustCompile(`(\d+) ms 50th`), regexp.MustCompile(`(\d+) ms 99th`), "ms"}
)

func wrkResult(out []byte) (outcome, error)  { return wrkLines.read(out) }
func heyResult(out []byte) (outcome, error)  { return heyLines.read(out) }
func perfResult(out []byte) (outcome, error) { return perfLines.read(out) }

// lines are where a generator says what in its text; times have a unit, or all the same.
type lines struct {
	n, p50, p99 *regexp.Regexp
	unit        string
}

func (l lines) read(out []byte) (o outcome, err error) {
	find := func(r *regexp.Regexp) string {
		m := r.FindSubmatch(out)
		if m == nil {
			err = fmt.Errorf("nothing matches %v", r)
			return "0"
		}
		return string(m[1])
	}
	if o.n, err = strconv.ParseFloat(find(l.n), 64); err != nil {
		return o, err
	}
	o.p50, _ = time.ParseDuration(find(l.p50) + l.unit)
	o.p99, _ = time.ParseDuration(find(l.p99) + l.unit)
	return o, err
}
