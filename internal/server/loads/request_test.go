package loads

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/load/kafkaload"
)

func planOf(t *testing.T, body string) (*plan, error) {
	t.Helper()
	q, err := readRequest(httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(body)))
	if err != nil {
		return nil, err
	}
	return q.plan(kafkaload.Options{Brokers: []string{"x:1"}})
}

func TestPlan(t *testing.T) {
	p, err := planOf(t, `{"topic": "t", "messages": 3, "bodies": [{"id": 1}, "n {{n}}", "{{", 4], "key": "k", "headers": {"b": "1", "a": "2"}, "seed": 7}`)
	if err != nil {
		t.Fatal(err)
	}
	o := p.options
	if o.Topic != "t" || o.Seed != 7 || o.Key == nil || len(o.Values) != 3 || len(o.Headers) != 2 || o.Headers[0].Name != "a" || o.Brokers[0] != "x:1" || p.messages != 3 {
		t.Errorf("%+v", p)
	}
	if len(p.parseFail) != 1 || !strings.HasPrefix(p.parseFail[0], "bodies[2]") {
		t.Errorf("%q", p.parseFail)
	}
	if p, err := planOf(t, `{"topic": "t", "rate": "600/m", "bodies": ["x"]}`); err != nil || p.duration != 10*time.Second || p.messages != 0 || p.options.Seed != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	// Of many errors some are kept, and one body that is right is enough.
	if p, err := planOf(t, `{"topic": "t", "messages": 1, "bodies": ["x"`+strings.Repeat(`,"{{"`, 500)+`]}`); err != nil || len(p.parseFail) != maxErrors {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestPlanErrors(t *testing.T) {
	for body, want := range map[string]string{
		`[]`: "send a JSON object such as", `{"topic": "t", "brokers": []}`: "brokers",
		`{"topic": "t", "messages": 1, "rate": "1", "bodies": ["x"]}`:                         "either messages or a rate",
		fmt.Sprintf(`{"topic": "t", "messages": %d, "bodies": ["x"]}`, maxMessages+1):         "use 1 to",
		`{"topic": "t", "rate": "1,2", "duration": "1ns", "bodies": ["x"]}`:                   "rate",
		`{"topic": "t", "rate": "` + strings.Repeat("1,", maxRate) + `1", "bodies": ["x"]}`:   "more than 1000 bytes",
		`{"topic": "t", "messages": 1, "bodies": [1` + strings.Repeat(",1", maxBodies) + `]}`: "the limit is 10000",
		`{"topic": "t", "messages": 1, "bodies": ["x"], "set": {"$.a": "b"}}`:                 "is text: set",
		`{"topic": "t", "messages": 1, "bodies": [{"a": 1}], "set": {"$.b": "c"}}`:            "bodies[0]",
		`{"topic": "t", "messages": 1, "bodies": ["` + strings.Repeat("x", maxBody) + `"]}`:   "more than 16777216 bytes",
	} {
		if _, err := planOf(t, body); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: %v, want %q", body, err, want)
		}
	}
}
