package notify_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/notify"
	"github.com/hone-go/hone/internal/notify/alertmanagertest"
	"github.com/hone-go/hone/internal/regress"
)

// regressions are those that a test says there are.
type regressions struct {
	mu  sync.Mutex
	all []regress.Entry
}

func (r *regressions) set(all ...regress.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = all
}

func (r *regressions) list() ([]regress.Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all), nil
}

// TestAlertmanager checks with a real Alertmanager that alerts appear, aren't doubled when they
// are repeated or the server is restarted, and end.
func TestAlertmanager(t *testing.T) {
	am := alertmanagertest.Start(t)
	now := time.Now().UnixNano()
	one := func(id, function, state string) regress.Entry {
		return regress.Entry{
			Regression: regress.Regression{ID: id, Service: "shop", Kind: "cpu", Function: function, Growth: 0.5, Since: now - int64(time.Hour), Found: now}, State: state, Opened: now,
		}
	}
	const odd = "main.Map[\"<&>\"]\\\n{x=\"y\"}é"
	var known regressions
	known.set(one("1", "cart.total", regress.Open), one("2", odd, regress.Open))
	file := t.TempDir() + "/notifications.json"
	start := func() (n *notify.Notifier, stop func()) {
		n, err := notify.New(notify.Config{
			Targets: []notify.Target{{Name: "am", Format: notify.Alertmanager, URL: am.URL, Repeat: notify.Duration(time.Second), Labels: map[string]string{"severity": "page"}}},
			Page:    "http://hone.example:4600/", File: file, List: known.list, Log: func(line string) { t.Error(line) },
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); n.Run(ctx) }()
		return n, func() { cancel(); <-done }
	}
	_, stop := start()
	am.Wait("both alerts are there", func() bool { return len(am.Alerts()) == 2 })
	for _, a := range am.Alerts() {
		if a.Labels["severity"] != "page" || a.Labels["service"] != "shop" || a.Labels["alertname"] != "HoneRegression" || !strings.HasPrefix(a.GeneratorURL, "http://hone.example:4600/diff?base=sel%3A") ||
			!strings.Contains(a.Annotations["summary"], "50 % more CPU time in shop") || a.StartsAt.UnixNano()/1e6 != (now-int64(time.Hour))/1e6 || a.EndsAt.Before(time.Now()) {
			t.Errorf("got %+v", a)
		}
	}
	stop()
	_, stop = start()
	ended := am.Alerts()[0].EndsAt
	am.Wait("an alert is repeated", func() bool { return am.Alerts()[0].EndsAt.After(ended) })
	if got := am.Alerts(); len(got) != 2 {
		t.Errorf("after a restart there are %d alerts: %+v", len(got), got)
	}
	over := one("1", "cart.total", regress.Resolved)
	over.Resolved = time.Now().UnixNano()
	known.set(over, one("2", odd, regress.Acknowledged))
	stop() // a new one tells it at once
	n, stop := start()
	am.Wait("both are over", func() bool { return len(am.Alerts()) == 0 })
	am.Wait("people hear of it", func() bool { return len(am.Told()) >= 4 })
	told := am.Told()
	slices.Sort(told)
	shown := strings.ReplaceAll(odd, "\n", "\uFFFD")
	if want := []string{"firing cart.total", "firing " + shown, "resolved cart.total", "resolved " + shown}; !slices.Equal(told, want) {
		t.Errorf("people are told %q, want %q", told, want)
	}
	for _, r := range n.Test(t.Context(), "") {
		if r.Err != nil || r.Code != 200 {
			t.Errorf("a test: %+v", r)
		}
	}
	am.Wait("the test is there", func() bool { got := am.Alerts(); return len(got) == 1 && got[0].Labels["alertname"] == "HoneTest" })
	stop()
}
