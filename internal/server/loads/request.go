package loads

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/kafkaload"
	"github.com/hone-go/hone/internal/load/template"
	"github.com/hone-go/hone/internal/server"
)

// A Request describes the messages to send.
type Request struct {
	Topic string `json:"topic"`

	// Messages is a number of messages to send as fast as the brokers accept them.
	// Instead, Rate can give messages per second for Duration (10s), as in hone load
	// -rate.
	Messages int64  `json:"messages"`
	Rate     string `json:"rate"`
	Duration string `json:"duration"`

	// Bodies are sent alternately. A string is a template. Anything else is a JSON
	// document in which Set replaces values, by their paths.
	Bodies  []json.RawMessage `json:"bodies"`
	Set     map[string]string `json:"set"`
	Key     string            `json:"key"`
	Headers map[string]string `json:"headers"`
	Seed    uint64            `json:"seed"`
	Consume bool              `json:"consume"` // read the topic, to count what arrives
}

// Limits of a request.
const (
	maxBody     = 16 << 20
	maxBodies   = 10_000
	maxErrors   = 100  // errors of bodies that are kept
	maxRate     = 1000 // bytes of a rate with steps
	maxMessages = 1_000_000_000
	maxDuration = 24 * time.Hour
)

// A plan is a parsed and checked request.
type plan struct {
	options   kafkaload.Options
	messages  int64 // 0: at the pacing
	pacing    load.Pacing
	duration  time.Duration
	parseFail []string
}

func readRequest(w http.ResponseWriter, r *http.Request) (*Request, error) {
	in := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	in.DisallowUnknownFields()
	q := new(Request)
	if err := in.Decode(q); err != nil {
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			return nil, &server.Error{Status: http.StatusRequestEntityTooLarge, Err: fmt.Errorf("the request has more than %d bytes", maxBody)}
		}
		return nil, server.BadParam("", `invalid request: send a JSON object such as {"topic": "devices", "messages": 1000, "bodies": [{"id": 1}]}: %w`, err)
	}
	return q, nil
}

// plan checks a request. o has the brokers and options to send with.
func (q *Request) plan(o kafkaload.Options) (*plan, error) {
	p := &plan{options: o, messages: q.Messages, duration: 10 * time.Second}
	p.options.Topic, p.options.Seed, p.options.Consume = q.Topic, cmp.Or(q.Seed, 1), q.Consume
	var err error
	switch {
	case q.Topic == "":
		return nil, server.BadParam("topic", "topic is missing")
	case (q.Messages != 0) == (q.Rate != ""):
		return nil, server.BadParam("messages", "give either messages or a rate")
	case q.Messages < 0 || q.Messages > maxMessages:
		return nil, server.BadParam("messages", "invalid messages %d: use 1 to %d", q.Messages, maxMessages)
	case q.Messages != 0 && q.Duration != "":
		return nil, server.BadParam("duration", "duration needs a rate")
	case len(q.Rate) > maxRate:
		return nil, server.BadParam("rate", "rate has more than %d bytes", maxRate)
	case len(q.Bodies) > maxBodies:
		return nil, server.BadParam("bodies", "too many bodies: %d, the limit is %d", len(q.Bodies), maxBodies)
	}
	if q.Duration != "" {
		if p.duration, err = time.ParseDuration(q.Duration); err != nil || p.duration <= 0 || p.duration > maxDuration {
			return nil, server.BadParam("duration", "invalid duration %q: use a time such as 10s, at most %v", q.Duration, maxDuration)
		}
	}
	if q.Rate != "" {
		if p.pacing, err = load.ParsePacing(q.Rate, false, p.options.Seed); err != nil {
			return nil, server.BadParam("rate", "rate: %w", err)
		}
		if _, err := p.pacing.Pacer(0, p.duration); err != nil {
			return nil, server.BadParam("rate", "rate: %w", err)
		}
	}
	if q.Key != "" {
		if p.options.Key, err = template.Parse("key", q.Key, nil); err != nil {
			return nil, server.BadParam("key", "%w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(q.Headers)) {
		value, err := template.Parse("header "+name, q.Headers[name], nil)
		if err != nil {
			return nil, server.BadParam("headers", "%w", err)
		}
		p.options.Headers = append(p.options.Headers, kafkaload.Header{Name: name, Value: value})
	}
	return p, p.parseBodies(q)
}

// parseBodies leaves out invalid bodies. It fails if all are invalid.
func (p *plan) parseBodies(q *Request) error {
	var set []template.Replacement
	for _, path := range slices.Sorted(maps.Keys(q.Set)) {
		set = append(set, template.Replacement{Path: path, Text: q.Set[path]})
	}
	for i, body := range q.Bodies {
		value, err := parseBody(fmt.Sprintf("bodies[%d]", i), body, set)
		if err != nil {
			if len(p.parseFail) < maxErrors {
				p.parseFail = append(p.parseFail, err.Error())
			}
			continue
		}
		p.options.Values = append(p.options.Values, value)
	}
	switch {
	case len(q.Bodies) == 0:
		return server.BadParam("bodies", "bodies is missing: give what to send")
	case len(p.options.Values) == 0:
		return server.BadParam("bodies", "none of the bodies can be sent: %s", p.parseFail[0])
	}
	return nil
}

func parseBody(name string, body json.RawMessage, set []template.Replacement) (*template.Template, error) {
	var text string
	if strings.HasPrefix(string(body), `"`) && json.Unmarshal(body, &text) == nil {
		if len(set) > 0 {
			return nil, fmt.Errorf("%s is text: set can replace values only in JSON documents", name)
		}
		return template.Parse(name, text, nil)
	}
	return template.ParseJSON(name, string(body), nil, set...)
}
