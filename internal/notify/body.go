package notify

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/hone-go/hone/internal/api"
)

// A body is what a request sends: a format's text for some events.
type body func(events []event, now time.Time) ([]byte, error)

// bodyOf returns how a target is told of events. page is the address of hone's web UI.
func bodyOf(t *Target, page string) body {
	if t.Format == Alertmanager {
		return func(events []event, now time.Time) ([]byte, error) { return alerts(t, page, events, now) }
	}
	return func(events []event, _ time.Time) ([]byte, error) { return message(page, events) }
}

// An alert is one of Alertmanager's API: see its openapi.yaml, postableAlert.
type alert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	StartsAt    time.Time         `json:"startsAt"`
	EndsAt      time.Time         `json:"endsAt"`
	URL         string            `json:"generatorURL"`
}

// lasts is how long an alert goes on without being repeated, as a factor of the time between
// repetitions. Prometheus has the same: three may be lost.
const lasts = 4

func alerts(t *Target, page string, events []event, now time.Time) ([]byte, error) {
	var all []alert
	for _, e := range events {
		if e.what == tested {
			all = append(all, alert{
				Labels:      withLabels(map[string]string{"alertname": "HoneTest"}, t.Labels),
				Annotations: map[string]string{"summary": testHeadline, "description": testDetails},
				StartsAt:    now, EndsAt: now.Add(time.Minute), URL: page,
			})
			continue
		}
		r := api.NewRegression(&e.entry)
		said := words(opened, &r, plain)
		a := alert{
			Labels:      withLabels(labelsOf(&r), t.Labels),
			Annotations: map[string]string{"summary": said.headline, "description": said.details},
			StartsAt:    time.Unix(0, e.entry.Since), EndsAt: now.Add(lasts * time.Duration(t.Repeat)), URL: link(page, &r),
		}
		switch e.what {
		case resolved:
			a.EndsAt = time.Unix(0, e.entry.Resolved)
		case acknowledged:
			a.EndsAt = now
		}
		a.StartsAt = earlier(a.StartsAt, a.EndsAt)
		all = append(all, a)
	}
	for i := range all {
		all[i].StartsAt, all[i].EndsAt = all[i].StartsAt.UTC(), all[i].EndsAt.UTC()
	}
	return json.Marshal(all)
}

// earlier returns the first of two times: an Alertmanager refuses alerts that end before they
// start.
func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// labelsOf returns the labels of an alert. Equal labels mean the same alert, so they don't
// change while a regression is open.
func labelsOf(r *api.Regression) map[string]string {
	return map[string]string{
		"alertname": "HoneRegression", "regression": r.ID, "service": plain(r.Service), "kind": plain(r.Kind), "version": plain(r.Version), "function": plain(r.Function),
	}
}

// withLabels adds labels, and drops empty ones, which Alertmanager takes for missing.
func withLabels(labels, more map[string]string) map[string]string {
	for name, value := range more {
		labels[name] = value
	}
	for name, value := range labels {
		if value == "" {
			delete(labels, name)
		}
	}
	return labels
}

// A notice is the body of plain JSON. Slack and what is like it show Text.
type notice struct {
	Text   string   `json:"text"`
	Events []happen `json:"events"`
}

// A happen is an event in plain JSON.
type happen struct {
	Event string `json:"event"`
	// Key is the same if an event is sent again, because its answer was lost.
	Key        string          `json:"key"`
	Summary    string          `json:"summary"`
	Details    string          `json:"details"`
	URL        string          `json:"url"`
	Regression *api.Regression `json:"regression,omitempty"`
}

func message(page string, events []event) ([]byte, error) {
	var out notice
	var texts []string
	for _, e := range events {
		if e.what == tested {
			out.Events = append(out.Events, happen{Event: tested, Key: tested, Summary: testHeadline, Details: testDetails, URL: page})
			texts = append(texts, fmt.Sprintf("%s: %s <%s|hone>", testHeadline, testDetails, escape(page)))
			continue
		}
		r := api.NewRegression(&e.entry)
		said, shown, at := words(e.what, &r, plain), words(e.what, &r, code), link(page, &r)
		out.Events = append(out.Events, happen{
			Event: e.what, Key: fmt.Sprintf("%s-%s-%d", r.ID, e.what, e.entry.Opened/int64(time.Millisecond)),
			Summary: said.headline, Details: said.details, URL: at, Regression: &r,
		})
		texts = append(texts, fmt.Sprintf("%s. %s <%s|Compare>", shown.headline, shown.details, escape(at)))
	}
	out.Text = strings.Join(texts, "\n\n")
	return json.Marshal(out)
}

// What a test says.
const (
	testHeadline = "Test of hone's notifications"
	testDetails  = "Nothing is wrong: someone asked for this test."
)

// link returns the address of the comparison that a regression was found in, ordered so that
// its function is near the top.
func link(page string, r *api.Regression) string {
	q := url.Values{"profile": {r.Head}, "base": {r.Base}}
	if r.Callees {
		q.Set("sort", "cum")
	}
	return strings.TrimSuffix(page, "/") + "/diff?" + q.Encode()
}
