package regressions_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/notify"
	"github.com/hone-go/hone/internal/server/regressions"
	"github.com/hone-go/hone/internal/server/servertest"
)

// TestNotifications asks for the state of notifications, and for tests, as everyone.
func TestNotifications(t *testing.T) {
	got := ""
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got += string(body)
		if r.URL.Path == "/broken" {
			http.Error(w, "no_service", http.StatusNotFound)
			return
		}
		io.WriteString(w, "ok")
	}))
	defer receiver.Close()
	g := servertest.NewGuarded(t)
	n, err := notify.New(notify.Config{
		Targets: []notify.Target{{Name: "chat", Format: notify.JSON, URL: receiver.URL + "/x"}, {Name: "broken", Format: notify.JSON, URL: receiver.URL + "/broken"}},
		Page:    "http://hone.example/", Log: func(line string) { t.Error(line) },
	})
	if err != nil {
		t.Fatal(err)
	}
	service := regressions.NewNotifications(g.Server, n)
	ask := func(as, method, path string, into any) int {
		r := g.Do(method, "/api/v1/notifications"+path, "", g.As(as))
		text := servertest.Body(t, r)
		if r.StatusCode == http.StatusOK {
			if err := json.Unmarshal([]byte(text), into); err != nil {
				t.Errorf("%s %s: %v", method, path, err)
			}
		}
		return r.StatusCode
	}
	var list api.Notifications
	if code := ask("reader", "GET", "", nil); code != http.StatusForbidden {
		t.Errorf("a reader asks for the state: %d", code)
	}
	if code := ask("admin", "GET", "", &list); code != http.StatusOK || len(list.Targets) != 2 || list.Targets[0] != (api.NotificationTarget{Name: "chat", Format: "json"}) {
		t.Errorf("%d, %+v", code, list)
	}
	for _, who := range []string{"", "reader", "shop-writer", "api-reader"} {
		if code := ask(who, "POST", "/test", nil); code != http.StatusForbidden && code != http.StatusUnauthorized || got != "" {
			t.Errorf("%q sends a test: %d, %q", who, code, got)
		}
	}
	var tests api.NotificationTests
	if code := ask("admin", "POST", "/test", &tests); code != http.StatusOK || len(tests.Tests) != 2 || strings.Count(got, "someone asked for this test") != 4 {
		t.Fatalf("%d, %+v, sent %s", code, tests, got)
	}
	if a, b := tests.Tests[0], tests.Tests[1]; a.Status != 200 || a.Answer != "ok" || a.Error != "" || b.Status != 404 || b.Error != "404 Not Found: no_service" {
		t.Errorf("got %+v", tests)
	}
	if code := ask("admin", "POST", "/test?target=chat", &tests); code != http.StatusOK || len(tests.Tests) != 1 {
		t.Errorf("one target: %d, %+v", code, tests)
	}
	if code := ask("admin", "POST", "/test?target=other", nil); code != http.StatusNotFound {
		t.Errorf("an unknown target: %d", code)
	}
	reg := prometheus.NewRegistry()
	reg.MustRegister(service)
	figures, err := reg.Gather()
	if err != nil || len(figures) != 4 {
		t.Fatalf("%v, %v", figures, err)
	}
	for _, f := range figures {
		if !strings.HasPrefix(f.GetName(), "hone_notifications_") || len(f.GetMetric()) != 2 || f.GetMetric()[0].GetLabel()[0].GetValue() != "broken" {
			t.Errorf("got %v", f)
		}
	}
}
