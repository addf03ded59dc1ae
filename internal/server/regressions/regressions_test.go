package regressions_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/regress"
	"github.com/hone-go/hone/internal/regress/regresstest"
	"github.com/hone-go/hone/internal/server/regressions"
	"github.com/hone-go/hone/internal/server/servertest"
	"github.com/hone-go/hone/internal/store/storetest"
)

const now = 20_000 * 24 * int64(time.Hour)

// list asks for regressions.
func list(t *testing.T, g *servertest.Guarded, as, query string) (all []api.Regression) {
	t.Helper()
	r := g.Do("GET", "/api/v1/regressions"+query, "", g.As(as))
	var out api.Regressions
	if err := json.Unmarshal([]byte(servertest.Body(t, r)), &out); err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s%s: %s, %v", as, query, r.Status, err)
	}
	return out.Regressions
}

func TestService(t *testing.T) {
	g := servertest.NewGuarded(t)
	st, state := storetest.NewModel(), regress.NewState("", nil)
	watch := regress.NewWatch(regress.Config{Store: st, State: state, Budget: 1, Log: func(line string) { t.Error(line) }})
	service := regressions.New(g.Server, state, watch)
	if got := list(t, g, "reader", ""); got == nil || len(got) != 0 {
		t.Errorf("an empty store: %v", got)
	}
	slow := regresstest.Usual().With("main;a;b;new", 6e8)
	if err := regresstest.FillDeploy(t.Context(), st, "shop-a", now, regresstest.Usual(), slow); err != nil {
		t.Fatal(err)
	}
	if err := watch.Tick(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	all := list(t, g, "reader", "?service=shop-a&state=open")
	if len(all) != 1 {
		t.Fatalf("got %+v", all)
	}
	r := all[0]
	if r.Function != "b" || r.Version != "v2" || len(r.New) != 1 || r.New[0] != "new" || r.Since != (now-40*int64(time.Minute))/1e6 {
		t.Errorf("got %+v", r)
	}
	for side, want := range map[string]string{r.Base: `version!="v2"`, r.Head: `version="v2"`} {
		sel, err := api.ParseSelection(side, time.Now())
		if err != nil || !strings.Contains(sel.Name(), want) || sel.SampleType != "cpu" || sel.From >= sel.To {
			t.Errorf("%s: %+v, %v", side, sel, err)
		}
	}
	for _, test := range []struct {
		as, query string
		want      int
	}{{"api-reader", "", 0}, {"reader", "?service=other", 0}, {"reader", "?state=resolved", 0}, {"admin", "", 1}} {
		if got := list(t, g, test.as, test.query); len(got) != test.want {
			t.Errorf("%s%s: %d, want %d", test.as, test.query, len(got), test.want)
		}
	}
	for _, test := range []struct {
		as, id string
		status int
	}{
		{"reader", r.ID, http.StatusForbidden}, {"api-admin", r.ID, http.StatusNotFound}, {"shop-writer", "0", http.StatusNotFound}, {"shop-writer", r.ID, http.StatusOK},
	} {
		if got := g.Do("POST", "/api/v1/regressions/"+test.id+"/acknowledge", "", g.As(test.as)); got.StatusCode != test.status {
			t.Errorf("%s acknowledges %s: %s, want %d", test.as, test.id, got.Status, test.status)
		}
	}
	if got := list(t, g, "reader", "?state=acknowledged"); len(got) != 1 || got[0].By != "shop-writer" || got[0].Reason != "" || got[0].Acknowledged == 0 {
		t.Errorf("acknowledged: %+v", got)
	}
	path := "/api/v1/regressions/" + r.ID + "/acknowledge"
	for _, step := range []struct {
		method, as, body string
		status           int
		want             string // state, who and why
	}{
		{"DELETE", "reader", "", http.StatusForbidden, "acknowledged shop-writer "},
		{"DELETE", "api-admin", "", http.StatusNotFound, "acknowledged shop-writer "},
		{"DELETE", "shop-writer", "", http.StatusOK, "open  "},
		{"POST", "shop-writer", `{"reason": "x`, http.StatusBadRequest, "open  "},
		{"POST", "shop-writer", `{"reason": "a\nb"}`, http.StatusBadRequest, "open  "},
		{"POST", "shop-writer", `{"reason": "` + strings.Repeat("x", 501) + `"}`, http.StatusBadRequest, "open  "},
		{"POST", "shop-writer", strings.Repeat("x", 5000), http.StatusRequestEntityTooLarge, "open  "},
		{"POST", "shop-writer", `{"reason": " until the next release "}`, http.StatusOK, "acknowledged shop-writer until the next release"},
	} {
		if got := g.Do(step.method, path, step.body, g.As(step.as)); got.StatusCode != step.status {
			t.Errorf("%s as %s with %.40q: %s, want %d", step.method, step.as, step.body, got.Status, step.status)
		}
		if got := list(t, g, "admin", "")[0]; got.State+" "+got.By+" "+got.Reason != step.want {
			t.Errorf("after %s as %s with %.40q: %+v, want %q", step.method, step.as, step.body, got, step.want)
		}
	}
	for as, want := range map[string][]api.RegressionService{
		"reader":     {{Name: "shop-a", Kinds: []string{"cpu"}, Compared: now / 1e6, Acknowledged: 1}},
		"api-reader": {},
	} {
		r := g.Do("GET", "/api/v1/regressions/summary", "", g.As(as))
		var got api.RegressionSummary
		if err := json.Unmarshal([]byte(servertest.Body(t, r)), &got); err != nil || got.Looked != now/1e6 || got.Every != regress.DefaultEvery || !reflect.DeepEqual(got.Services, want) {
			t.Errorf("summary for %s: %+v, %v, want %+v", as, got, err, want)
		}
	}
	if r := g.Do("GET", "/api/v1/regressions?state=new", "", g.As("reader")); r.StatusCode != http.StatusBadRequest {
		t.Errorf("an unknown state: %s", r.Status)
	}
	reg := prometheus.NewRegistry()
	reg.MustRegister(service)
	figures, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range figures {
		got[f.GetName()] = f.GetMetric()[0].GetCounter().GetValue()
	}
	if got["hone_regress_comparisons_total"] == 0 || got["hone_regress_found_total"] != 1 || got["hone_regress_seconds_total"] == 0 {
		t.Errorf("figures: %v", got)
	}
}
