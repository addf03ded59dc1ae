package regressions

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/notify"
	"github.com/hone-go/hone/internal/server"
	"github.com/hone-go/hone/internal/server/auth"
)

// Notifications serves the state of notifications, and sends tests.
type Notifications struct {
	srv      *server.Server
	notifier *notify.Notifier
}

// NewNotifications adds the service to a server.
func NewNotifications(srv *server.Server, notifier *notify.Notifier) *Notifications {
	n := &Notifications{srv, notifier}
	srv.Handle("GET /api/v1/notifications", auth.Admin, n.list) // errors can name files of the server
	srv.Handle("POST /api/v1/notifications/test", auth.Admin, n.test)
	return n
}

func (n *Notifications) list(w http.ResponseWriter, r *http.Request) error {
	if _, err := server.Params(r, nil); err != nil {
		return err
	}
	out := api.Notifications{Targets: []api.NotificationTarget{}}
	for _, s := range n.notifier.Status() {
		out.Targets = append(out.Targets, api.NotificationTarget(s))
	}
	a, err := server.JSONAnswer(r.Context(), out)
	if err != nil {
		return err
	}
	return a.Write(w, r, http.StatusOK, "no-store")
}

// test sends a test to one target or all, and answers what each said.
func (n *Notifications) test(w http.ResponseWriter, r *http.Request) error {
	p, err := server.Params(r, []string{"target"})
	if err != nil {
		return err
	}
	results := n.notifier.Test(r.Context(), p.Get("target"))
	if name := p.Get("target"); len(results) == 0 && name != "" {
		return server.NotFound("no notifications go to a target %q: see [[notify]] in the configuration", name)
	} else if len(results) == 0 {
		return server.NotFound("no notifications are configured: add [[notify]] to the configuration")
	}
	out := api.NotificationTests{}
	for _, one := range results {
		t := api.NotificationTest{Name: one.Name, Format: one.Format, Status: one.Code, Answer: one.Text, Took: one.Took.Milliseconds()}
		outcome := auth.OK
		if one.Err != nil {
			t.Error, outcome = one.Err.Error(), auth.Failed
		}
		n.srv.Audit(r, "notification.test", one.Name, outcome)
		out.Tests = append(out.Tests, t)
	}
	a, err := server.JSONAnswer(r.Context(), out)
	if err != nil {
		return err
	}
	return a.Write(w, r, http.StatusOK, "no-store")
}

// notificationMetrics describes the counts of notifications, in the order of Collect.
func notificationMetrics() []*prometheus.Desc {
	labels := []string{"target"}
	return []*prometheus.Desc{
		prometheus.NewDesc("hone_notifications_sent_total", "Events about regressions that a target was told.", labels, nil),
		prometheus.NewDesc("hone_notifications_failed_total", "Requests with notifications that failed.", labels, nil),
		prometheus.NewDesc("hone_notifications_dropped_total", "Events that a target was not told because it refused them, or failed for a day.", labels, nil),
		prometheus.NewDesc("hone_notifications_waiting", "Events that a target is not told yet.", labels, nil),
	}
}

// Describe implements prometheus.Collector.
func (n *Notifications) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range notificationMetrics() {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (n *Notifications) Collect(ch chan<- prometheus.Metric) {
	descs := notificationMetrics()
	for _, s := range n.notifier.Status() {
		for i, v := range []int64{s.Sent, s.Failed, s.Dropped} {
			ch <- prometheus.MustNewConstMetric(descs[i], prometheus.CounterValue, float64(v), s.Name)
		}
		ch <- prometheus.MustNewConstMetric(descs[3], prometheus.GaugeValue, float64(s.Waiting), s.Name)
	}
}
