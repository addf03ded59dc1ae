package notify

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hone-go/hone/internal/api"
	"github.com/hone-go/hone/internal/hostile"
	"github.com/hone-go/hone/internal/regress"
)

// TestWords checks the sentences about regressions.
func TestWords(t *testing.T) {
	drift, fresh, wide := found("a", regress.Open, now), found("a", regress.Open, now), found("a", regress.Open, now)
	drift.Version, drift.Growth, drift.Kind, drift.Unit, drift.PerRequest, drift.Before, drift.After = "", 0.05, "allocs", "bytes", true, 1<<20, 1<<21
	fresh.Growth, fresh.Before = 0, 0
	wide.Callees, wide.New, wide.Affected = true, []string{"b", "c", "d", "e"}, 3
	for _, test := range []struct {
		entry           regress.Entry
		what, head, all string
	}{
		{found("a", regress.Open, now), opened, "cart.total costs 18 % more CPU time in shop since version v2", "0.05 CPUs before, 0.06 CPUs after, on 4 of 4 instances, since 2024-10-03 23:00 UTC."},
		{wide, opened, "cart.total and what it calls cost 18 % more CPU time in shop since version v2", "0.05 CPUs before, 0.06 CPUs after, on 3 of 4 instances, since 2024-10-03 23:00 UTC. New below it: b, c, d, …."},
		{drift, opened, "cart.total costs 5.0 % more allocated memory in shop since 2024-10-03 23:00 UTC", "1.000MiB/request before, 2.000MiB/request after, on 4 of 4 instances, since then."},
		{fresh, opened, "New CPU time in shop since version v2: cart.total", "0.06 CPUs, on 4 of 4 instances, since 2024-10-03 23:00 UTC."},
		{found("a", regress.Resolved, now), resolved, "The cost of cart.total in shop is as before", "It was 18 % more CPU time since version v2."},
		{fresh, resolved, "CPU time in shop: the cost of cart.total is gone", "It was new since version v2."},
	} {
		r := api.NewRegression(&test.entry)
		if got := words(test.what, &r, plain); got.headline != test.head || got.details != test.all {
			t.Errorf("got  %s. %s\nwant %s. %s", got.headline, got.details, test.head, test.all)
		}
	}
}

// TestAlertBody shows what an Alertmanager gets.
func TestAlertBody(t *testing.T) {
	target := Target{Format: Alertmanager, Labels: map[string]string{"severity": "warning", "team": ""}}.withDefaults()
	drift := found("b", regress.Resolved, now)
	drift.Version, drift.Resolved = "", now
	body, err := bodyOf(&target, "https://hone.example.com/")([]event{{opened, found("a", regress.Open, now)}, {resolved, drift}, {acknowledged, drift}}, time.Unix(0, now))
	if err != nil {
		t.Fatal(err)
	}
	const link = `"generatorURL":"https://hone.example.com/diff?base=`
	for _, want := range []string{
		`[{"labels":{"alertname":"HoneRegression","function":"cart.total","kind":"cpu","regression":"a","service":"shop","severity":"warning","version":"v2"},`,
		`"annotations":{"description":"0.05 CPUs before, `, `"summary":"cart.total costs 18 % more CPU time in shop since version v2"},"startsAt":"2024-10-03T23:00:00Z","endsAt":"2024-10-04T00:04:00Z",` + link,
		`{"labels":{"alertname":"HoneRegression","function":"cart.total","kind":"cpu","regression":"b","service":"shop","severity":"warning"},`,
		`"startsAt":"2024-10-03T23:00:00Z","endsAt":"2024-10-04T00:00:00Z"`,
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
}

// TestMessageBody shows what Slack gets.
func TestMessageBody(t *testing.T) {
	e := found("a", regress.Open, now)
	e.Function = "main.Map[go.shape.int<`&>]"
	target := Target{Format: JSON}
	body, err := bodyOf(&target, "https://hone.example.com/")([]event{{opened, e}, {what: tested}}, time.Unix(0, now))
	if err != nil {
		t.Fatal(err)
	}
	var got notice
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	const start = "`main.Map[go.shape.int&lt;'&amp;&gt;]` costs 18 % more CPU time in `shop` since version `v2`. 0.05 CPUs before, 0.06 CPUs after, on 4 of 4 instances, since 2024-10-03 23:00 UTC. <https://hone.example.com/diff?base="
	if !strings.HasPrefix(got.Text, start) || !strings.HasSuffix(got.Text, "|Compare>\n\nTest of hone's notifications: Nothing is wrong: someone asked for this test. <https://hone.example.com/|hone>") {
		t.Errorf("the text is %s", got.Text)
	}
	first := got.Events[0]
	if first.Event != opened || first.Key != "a-opened-1728000000000" || first.Regression.Function != e.Function || !strings.HasPrefix(first.URL, "https://hone.example.com/diff?base=sel%3A") ||
		!strings.HasPrefix(first.Summary, e.Function+" costs") {
		t.Errorf("got %+v", first)
	}
}

// TestHostile checks that names can't be syntax in notifications: links and mentions in Slack,
// and control characters or invalid text anywhere.
func TestHostile(t *testing.T) {
	for _, bad := range hostile.Texts {
		e := found("a", regress.Open, now)
		e.Function, e.Service, e.Version, e.Kind, e.New = "f"+bad, "s"+bad, "v"+bad, "cpu", []string{"n" + bad}
		r := api.NewRegression(&e)
		for name, value := range labelsOf(&r) {
			if !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) || utf8.RuneCountInString(value) > maxText {
				t.Errorf("%.40q: label %s is %.80q", bad, name, value)
			}
		}
		for _, what := range []string{opened, resolved} {
			body, err := message("http://h/", []event{{what, e}})
			if err != nil {
				t.Fatal(err)
			}
			var got notice
			if err := json.Unmarshal(body, &got); err != nil {
				t.Fatal(err)
			}
			ticks := 2 * (3 + len(e.New)) // service, function, version
			if what == resolved {
				ticks = 2 * 3
			}
			if n := strings.Count(got.Text, "<"); n != 1 || strings.Count(got.Text, ">") != 1 || strings.Count(got.Text, "`") != ticks {
				t.Errorf("%.40q: %s: the text is %.300q", bad, what, got.Text)
			}
			if strings.ContainsFunc(got.Text, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%.40q: %s: the text has characters that aren't text: %.300q", bad, what, got.Text)
			}
		}
	}
}

// TestLabelsStay checks that an alert's labels are the same when it is found again.
func TestLabelsStay(t *testing.T) {
	e := found("a", regress.Open, now)
	first := api.NewRegression(&e)
	e.Growth, e.After, e.Affected, e.To, e.State = 9, 9, 1, now+hour, regress.Resolved
	later := api.NewRegression(&e)
	a, b := labelsOf(&first), labelsOf(&later)
	for name := range a {
		if a[name] != b[name] {
			t.Errorf("label %s changes from %q to %q", name, a[name], b[name])
		}
	}
	if names := []string{"alertname", "service", "function"}; slices.ContainsFunc(names, func(n string) bool { return a[n] == "" }) {
		t.Errorf("got %v", a)
	}
}

// TestLink checks that the comparison of a cost with callees is ordered by it.
func TestLink(t *testing.T) {
	for _, callees := range []bool{false, true} {
		r := api.Regression{Base: "sel:a&b", Head: "sel:c", Callees: callees}
		want := "http://h/x/diff?base=sel%3Aa%26b&profile=sel%3Ac"
		if callees {
			want += "&sort=cum"
		}
		if got := link("http://h/x/", &r); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
