package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	"github.com/hone-go/hone/internal/experiment"
	"github.com/hone-go/hone/internal/load/kafkaload/kafkatest"
	"github.com/hone-go/hone/internal/server/loads"
)

// TestLoadGRPC: the method is found by reflection, and called.
func TestLoadGRPC(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	reflection.Register(server)
	go server.Serve(l)
	t.Cleanup(server.Stop)
	at := l.Addr().String()
	for _, how := range [][]string{{"-rate", "200", "-duration", "1s", "-count", "1", "-warmup", "0s"}, {"-users", "2", "-requests", "25", "-rounds", "4"}} {
		args := append(append([]string{"load", "grpc", easy, patient, "-json", "-o", t.TempDir(), "-body", `{"service":""}`}, how...), at, "grpc.health.v1.Health/Check")
		out, stderr, code := loadHone(t, args...)
		var r struct {
			Succeeded, Failed int64 // on a busy machine some succeed after the period
			Run               string
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitOK || r.Succeeded != 200 || r.Failed != 0 || r.Run == "" {
			t.Errorf("%q: exit code %d, %v\n%s%s", how, code, err, out, stderr)
		}
	}
	for want, args := range map[string][]string{
		"grpc NotFound":  {"-body", `{"service":"nobody"}`, at, "grpc.health.v1.Health/Check"},
		"Check":          {at, "grpc.health.v1.Health/Chek"},
		"unknown field":  {"-body", `{"servce":""}`, at, "grpc.health.v1.Health/Check"},
		"and the method": {at},
	} {
		args = append([]string{"load", "grpc", easy, "-rate", "20", "-duration", "500ms", "-count", "1", "-warmup", "0s", "-o", t.TempDir()}, args...)
		if out, stderr, code := loadHone(t, args...); code == exitOK || !strings.Contains(out+stderr, want) {
			t.Errorf("%q: exit code %d, want %q in\n%s%s", args, code, want, out, stderr)
		}
	}
}

// TestLoadKafka sends to a broker, at a rate and as fast as it takes them, and
// counts what arrives.
func TestLoadKafka(t *testing.T) {
	broker := kafkatest.ForTest(t)
	file := filepath.Join(t.TempDir(), "device.json")
	if err := os.WriteFile(file, []byte(`{"device":{"id":"x","n":1}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	store := t.TempDir()
	args := []string{"load", "kafka", easy, patient, "-o", store, "-json", "-topic", "devices", "-create", "2", "-consume", "-body", "@" + file,
		"-set", "$.device.id=dev-{{int 1 99}}", "-set", "device.n={{n}}"}
	for _, how := range [][]string{{"-messages", "5000"}, {"-rate", "1000", "-duration", "2s", "-count", "1", "-warmup", "0s"}} {
		out, stderr, code := loadHone(t, append(append(args, how...), broker.Addr)...)
		var r struct {
			Succeeded int64
			Run       string
			More      struct {
				Deliveries []struct{ Arrived, Lost, Doubled int64 }
			}
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitOK || len(r.More.Deliveries) != 1 {
			t.Fatalf("%q: exit code %d, %v\n%s%s", how, code, err, out, stderr)
		}
		want := map[string]int64{"-messages": 5000, "-rate": 2000}[how[0]]
		if d := r.More.Deliveries[0]; r.Succeeded != want || d.Arrived != want || d.Lost != 0 || d.Doubled != 0 {
			t.Errorf("%q: %d acknowledged, %+v", how, r.Succeeded, d)
		}
		run, err := experiment.Open(t.Context(), filepath.Join(store, r.Run))
		if err != nil {
			t.Fatal(err)
		}
		l, err := run.Load()
		if err != nil || len(l.Sides) != 1 || len(l.Sides[0].Deliveries) != 1 {
			t.Fatalf("%q: %v, %+v", how, err, l)
		}
		if d := l.Sides[0].Deliveries[0]; l.Sides[0].Succeeded != want || d.Arrived != want || d.Lost != 0 || d.Time.P99 == nil || *d.Time.P99 <= 0 {
			t.Errorf("%q: the run has %+v", how, d)
		}
	}
	if _, stderr, code := loadHone(t, "load", "kafka", "-rate", "10", "-topic", "nowhere", "-body", "x", "-o", t.TempDir(), broker.Addr); code != exitFailure || !strings.Contains(stderr, "nowhere") {
		t.Errorf("a topic that is missing: %d, %s", code, stderr)
	}
	t.Run("scram", func(t *testing.T) { testLoadSCRAM(t, broker) })
	t.Run("service", func(t *testing.T) { testLoadService(t, broker.Addr) })
}

// testLoadSCRAM logs in by both kinds of SCRAM, with the password from the environment.
func testLoadSCRAM(t *testing.T, broker *kafkatest.Broker) {
	for _, mechanism := range []string{"scram-256", "scram-512"} {
		if err := broker.SetPassword(t.Context(), mechanism, kafkatest.Admin, "of-"+mechanism); err != nil {
			t.Fatal(err)
		}
		args := []string{"load", "kafka", easy, "-o", t.TempDir(), "-sasl", mechanism, "-user", kafkatest.Admin, "-topic", "devices", "-messages", "100", "-body", "x", broker.SASL}
		t.Setenv(passwordVariable, "of-"+mechanism)
		out, stderr, code := loadHone(t, args...)
		for until := time.Now().Add(time.Minute); code != exitOK && time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
			out, stderr, code = loadHone(t, args...) // the broker learns of a password a moment later
		}
		if code != exitOK || !strings.Contains(out, "answered  100 requests") {
			t.Errorf("%s: exit code %d\n%s%s", mechanism, code, out, stderr)
		}
		t.Setenv(passwordVariable, "another")
		if out, stderr, code := loadHone(t, args...); code != exitFailure || !strings.Contains(stderr, "SASL_AUTHENTICATION_FAILED") {
			t.Errorf("%s with a wrong password: exit code %d\n%s%s", mechanism, code, out, stderr)
		}
	}
}

// testLoadService asks the service for loads on the broker, which has the topic
// devices.
func testLoadService(t *testing.T, broker string) {
	data := t.TempDir()
	token := func(args ...string) string {
		return strings.TrimSpace(honeWith(t, map[string]string{"USER": "ann"}, "", append([]string{"token", "add", "-data", data}, args...)...).stdout)
	}
	writer, other, reader := token("-role", "read,write", "-service", "dev*", "platform"), token("-role", "write", "-service", "shop", "shop"), token("-role", "read", "ann")
	d := startListening(t, data, "load", "kafka", "-listen", "127.0.0.1:0", "-config", writeConfig(t, fmt.Sprintf("data = %q\n", data)), "-linger", "1ms", broker)
	ask := func(token, method, path, body string) (int, loads.Load, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, d.url+"/api/v1/loads"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		var l loads.Load
		json.Unmarshal(text, &l) // errors of the server are not this
		return answer.StatusCode, l, string(text)
	}
	end := func(id string) loads.Load {
		t.Helper()
		for {
			status, l, text := ask(reader, "GET", "/"+id, "")
			if status != http.StatusOK {
				t.Fatalf("%d %s", status, text)
			}
			if l.State != "running" {
				return l
			}
			time.Sleep(10 * time.Millisecond) // until go test's timeout
		}
	}
	const devices = `{"topic": "devices", "messages": 3000, "bodies": [{"device": {"id": "x"}}, 7], "set": {"$.device.id": "dev-{{n}}"}, "key": "{{n}}", "headers": {"a": "b"}, "consume": true}`
	status, l, text := ask(writer, "POST", "", devices)
	if status != http.StatusCreated || l.ID == "" || l.Topic != "devices" {
		t.Fatalf("%d %s", status, text)
	}
	if l = end(l.ID); l.State != "done" || l.SuccessCount != 3000 || l.FailCount != 0 || l.Msg != "success" || l.Delivery == nil || l.Delivery.Arrived != 3000 ||
		l.Delivery.Lost != 0 || len(l.ParseFail) != 1 || !strings.Contains(l.ParseFail[0], "bodies[1]") {
		t.Errorf("%+v", l)
	}
	if took, err := time.ParseDuration(l.Elapsed); err != nil || took <= 0 {
		t.Errorf("elapsed %q: %v", l.Elapsed, err)
	}

	status, l, text = ask(writer, "POST", "", `{"topic": "devices", "rate": "100", "duration": "10m", "bodies": ["text {{n}}"]}`)
	if status != http.StatusCreated {
		t.Fatalf("%d %s", status, text)
	}
	if status, _, text := ask(writer, "POST", "", devices); status != http.StatusConflict || !strings.Contains(text, l.ID) {
		t.Errorf("a second one: %d %s", status, text)
	}
	if status, _, text := ask(other, "POST", "", devices); status != http.StatusConflict || strings.Contains(text, l.ID) || strings.Contains(text, "devices") {
		t.Errorf("a second one, of who may not know of it: %d %s", status, text)
	}
	if status, _, text := ask(other, "POST", "/"+l.ID+"/stop", ""); status != http.StatusNotFound {
		t.Errorf("another's token stops it: %d %s", status, text)
	}
	if status, _, text := ask(writer, "POST", "/"+l.ID+"/stop", ""); status != http.StatusOK {
		t.Errorf("stop: %d %s", status, text)
	}
	if l = end(l.ID); l.State != "stopped" {
		t.Errorf("%+v", l)
	}
	if _, _, text := ask(reader, "GET", "", ""); strings.Count(text, `"id"`) != 2 {
		t.Errorf("the list is %s", text)
	}
	for _, c := range []struct {
		token, body string
		status      int
		want        string
	}{
		{"", devices, http.StatusUnauthorized, ""},
		{reader, devices, http.StatusForbidden, "write"},
		{other, devices, http.StatusForbidden, `the topic \"devices\"`},
		{writer, `{"topic": "dev-nowhere", "messages": 1, "bodies": ["x"]}`, http.StatusBadGateway, "dev-nowhere"},
		{writer, `{"topic": "devices", "brokers": ["x:1"], "messages": 1, "bodies": ["x"]}`, http.StatusBadRequest, "brokers"},
		{writer, `{`, http.StatusBadRequest, "send a JSON object such as"},
		{writer, `{"messages": 1}`, http.StatusBadRequest, "topic is missing"},
		{writer, `{"topic": "devices"}`, http.StatusBadRequest, "either messages or a rate"},
		{writer, `{"topic": "devices", "messages": -1, "bodies": ["x"]}`, http.StatusBadRequest, "use 1 to"},
		{writer, `{"topic": "devices", "messages": 1, "duration": "1s", "bodies": ["x"]}`, http.StatusBadRequest, "duration needs a rate"},
		{writer, `{"topic": "devices", "rate": "1", "duration": "1y", "bodies": ["x"]}`, http.StatusBadRequest, "use a time"},
		{writer, `{"topic": "devices", "rate": "fast", "bodies": ["x"]}`, http.StatusBadRequest, "rate"},
		{writer, `{"topic": "devices", "messages": 1}`, http.StatusBadRequest, "bodies is missing"},
		{writer, `{"topic": "devices", "messages": 1, "bodies": ["{{nothing}}"]}`, http.StatusBadRequest, "none of the bodies"},
		{writer, `{"topic": "devices", "messages": 1, "key": "{{nothing}}", "bodies": ["x"]}`, http.StatusBadRequest, "key"},
		{writer, `{"topic": "devices", "messages": 1, "headers": {"h": "{{nothing}}"}, "bodies": ["x"]}`, http.StatusBadRequest, "header h"},
	} {
		if status, _, text := ask(c.token, "POST", "", c.body); status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %s, want %d and %q", c.body, status, text, c.status, c.want)
		}
	}
	d.end()
}

// TestLoadServiceUsage: what a service takes from its command line.
func TestLoadServiceUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"combined with -body, -topic": {"-listen", "127.0.0.1:0", "-topic", "t", "-body", "x", "127.0.0.1:1"},
		"-listen is empty":            {"-listen", "", "127.0.0.1:1"},
		"-config needs -listen":       {"-config", "x", "-topic", "t", "-body", "x", "127.0.0.1:1"},
		"missing broker":              {"-listen", "127.0.0.1:0"},
		"exclude idempotence":         {"-listen", "127.0.0.1:0", "-acks", "leader", "127.0.0.1:1"},
	} {
		hone(t, append([]string{"load", "kafka"}, args...)...).failsWith(t, exitUsage, want)
	}
	hone(t, "load", "kafka", "-listen", "127.0.0.1:0", "-config", "nowhere.toml", "127.0.0.1:1").failsWith(t, exitFailure, "nowhere.toml")
	hone(t, "load", "kafka", "-listen", "0.0.0.0:0", "-config", writeConfig(t, fmt.Sprintf("data = %q\n", t.TempDir())), "127.0.0.1:1").failsWith(t, exitFailure, "without TLS")
}

// TestLoadShakespeare drives the example as its README does: the same questions in
// each round, with profiles over the same load.
func TestLoadShakespeare(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the example")
	}
	const example = "../../examples/shakespeare"
	program := filepath.Join(t.TempDir(), "shakespeare")
	if out, err := exec.Command("go", "build", "-C", example, "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	d := startServe(t, t.TempDir())
	cmd := exec.CommandContext(t.Context(), program, "-version", "4", "-listen", "127.0.0.1:0", "-hone", d.url, "-period", "1s")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, at, _ := strings.Cut(strings.TrimSpace(line), "://")
	store := t.TempDir()
	stdout, stderr, code := loadHone(t, "load", "grpc", "-users", "1", "-requests", "20", "-rounds", "5", patient, "-proto", example+"/shakespeare.proto",
		"-feed", example+"/queries.csv", "-body", `"{{row.query}}"`, "-pprof", at, "-profile", "cpu", "-profiletime", "2s", "-o", store, at, "shakespeare.v1.Works/CountLines")
	for _, want := range []string{"rounds of 20 requests each", "answered  100 requests", "round 5", "of CPU time", "allocations", "Works/CountLines/cpu"} {
		if code != exitOK || !strings.Contains(stdout, want) {
			t.Fatalf("exit code %d, no %q in\n%s%s", code, want, stdout, stderr)
		}
	}
	// The same by what the server collects of it.
	args := []string{"load", "grpc", "-users", "1", "-duration", "1s", "-count", "1", patient, "-proto", example + "/shakespeare.proto", "-feed", example + "/queries.csv",
		"-body", `"{{row.query}}"`, "-server", d.url, "-profiletime", "10s", "-o", store}
	stdout, stderr, code = loadHone(t, append(args, "-service", "shakespeare", at, "shakespeare.v1.Works/CountLines")...)
	for _, want := range []string{"of CPU time", " allocations", "Works/CountLines/cpu"} {
		if code != exitOK || !strings.Contains(stdout, want) {
			t.Errorf("-service: exit code %d, no %q in\n%s%s", code, want, stdout, stderr)
		}
	}
	for want, more := range map[string][]string{
		"-pprof and -service can't be combined":    {"-service", "x", "-pprof", at, at, "m"},
		"-server and -token-file need -service":    {at, "m"},
		"-service can't be combined with -against": {"-service", "x", "-against", "HEAD", "-serve", "x", at, "m"},
	} {
		hone(t, append(args, more...)...).failsWith(t, exitUsage, want)
	}
}
