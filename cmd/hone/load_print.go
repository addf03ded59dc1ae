package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/perf/benchunit"

	"github.com/hone-go/hone/internal/compare"
	"github.com/hone-go/hone/internal/load"
	"github.com/hone-go/hone/internal/load/measure"
)

// windowText summarizes one second on a line. It has numbers of requests, not rates: after
// a stall, a service answers more in a second than was due in it.
func windowText(w load.Window) string {
	text := fmt.Sprintf("%d answered", w.Succeeded)
	if w.Asked > 0 {
		text += fmt.Sprintf(", %.0f due", w.Asked*(w.End-w.Start).Seconds())
	}
	text += "  p99 " + timeText(w.Response.P99)
	if w.Failed > 0 {
		text += fmt.Sprintf("  %d failed", w.Failed)
	}
	return text
}

func tryText(t load.Try) string {
	text := fmt.Sprintf("p50 %s  p99 %s  %s/s answered", timeText(t.Response.P50), timeText(t.Response.P99), rateText(t.Answered))
	if t.Missed != "" {
		return text + "  missed: " + compare.Printable(t.Missed)
	}
	return text + "  met"
}

// rateText is a rate per second, or a dash if it is unknown.
func rateText(rate *float64) string {
	if rate == nil {
		return "–"
	}
	return load.RateText(*rate)
}

// timeText is a time with three digits, or a dash if requests failed instead.
func timeText(d *time.Duration) string {
	if d == nil {
		return "–"
	}
	return benchunit.Scale(d.Seconds(), benchunit.Decimal) + "s"
}

// tellLoad prints a report.
func tellLoad(a *app, f *loadFlags, target loadTarget, r *measure.Report) error {
	if f.json {
		out := struct {
			*measure.Report
			More any `json:"more,omitempty"` // measurements that only this protocol has
		}{Report: r}
		if target.more != nil {
			out.More = target.more(r.Periods)
		}
		return writeJSON(a.stdout, out)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s  %s\n\n", target.where, loadText(f, r.Result))
	tellAnswered(&b, r.Result)
	tellFailures(&b, r.Result)
	tellSilences(&b, r.Silences)
	if r.Late > 0 {
		fmt.Fprintf(&b, "  sent late %s, more than %v after they were due\n", compare.Counted(int(r.Late), "request"), f.opts.Late)
	}
	switch {
	case r.Waited > 0 && r.Streams > 0:
		fmt.Fprintf(&b, "  waited    %s: at most %d could be in flight\n", compare.Counted(int(r.Waited), "request"), r.Streams)
	case r.Waited > 0:
		fmt.Fprintf(&b, "  waited    %s: at most %s could be open\n", compare.Counted(int(r.Waited), "request"), compare.Counted(r.Connections, "connection"))
	}
	tellStatuses(&b, r.Result)
	fmt.Fprintf(&b, "\n  %-9s%10s%10s%10s%10s%10s%10s\n", "time", "p50", "p90", "p99", "p99.9", "p99.99", "max")
	rows := []struct {
		name string
		load.Quantiles
	}{{"response", r.Response}, {"service", r.Service}}
	if f.users.Users > 0 {
		rows = rows[:1] // they are the same
	}
	for _, row := range rows {
		fmt.Fprintf(&b, "  %-9s", row.name)
		for _, d := range []*time.Duration{row.P50, row.P90, row.P99, row.P999, row.P9999, row.Max} {
			fmt.Fprintf(&b, "%10s", timeText(d))
		}
		fmt.Fprintln(&b)
	}
	tellRounds(&b, r.Rounds)
	if target.tell != nil {
		target.tell(&b, r.Periods)
	}
	tellCosts(&b, r)
	tellGoals(f, &b, r.Result)
	if r.Run != "" {
		run := r.Run
		if f.given("o") {
			run = filepath.Join(f.store, r.Run)
		}
		fmt.Fprintf(&b, "\nrun %s", run)
		if len(r.Hottest) > 0 {
			mine := ""
			if r.OwnCode {
				mine = "-mine "
			}
			fmt.Fprintf(&b, ": hone ui %s, hone top %s%s:%s/cpu", run, mine, run, strings.ReplaceAll(target.name, " ", "_"))
		}
		fmt.Fprintln(&b)
	}
	_, err := a.stdout.Write(b.Bytes())
	return err
}

func tellGoals(f *loadFlags, b *bytes.Buffer, r *load.Result) {
	for _, g := range f.goals {
		verdict := "met"
		if !g.Met(r) {
			verdict = "MISSED"
		}
		fmt.Fprintf(b, "\n  %-20s %s", g, verdict)
	}
	if len(f.goals) > 0 && load.MissedSilence(r, f.goals) != "" {
		fmt.Fprintf(b, "\n  %-20s MISSED", load.NoSilence)
	}
	if len(f.goals) > 0 {
		fmt.Fprintln(b)
	}
}

// loadText is the requested load: "500/s, 5 × 10s".
func loadText(f *loadFlags, r *load.Result) string {
	if f.users.Users == 0 {
		text := "as fast as possible"
		if f.rate != "" {
			text = f.pacing.String() + ", "
			if f.count > 0 {
				text += fmt.Sprintf("%d × ", f.count)
			}
			text += f.duration.String()
		}
		if r.Connections > 0 {
			text += ", " + compare.Counted(r.Connections, "connection")
		}
		if r.Streams > 0 {
			text += ", " + compare.Counted(r.Streams, "stream") + " at once"
		}
		return text
	}
	text := compare.Counted(f.users.Users, "user")
	if f.users.Requests > 0 {
		text += fmt.Sprintf(", rounds of %s each", compare.Counted(f.users.Requests, "request"))
	}
	return text
}

// tellAnswered prints how many requests were answered within the period, at which rate,
// and how many later.
func tellAnswered(b *bytes.Buffer, r *load.Result) {
	fmt.Fprintf(b, "  answered  %s in %.4gs: %s per second", compare.Counted(int(r.Succeeded-r.Overdue), "request"), r.Period.Seconds(), rateText(r.Rate))
	if r.Asked > 0 {
		fmt.Fprintf(b, " of %s", load.RateText(r.Asked))
	}
	if r.Rate == nil {
		fmt.Fprint(b, " (too few to estimate a rate)")
	}
	fmt.Fprintln(b)
	if r.Overdue > 0 {
		fmt.Fprintf(b, "  overdue   %s, answered after the period and not part of the rate\n", compare.Counted(int(r.Overdue), "request"))
	}
}

// tellStatuses prints the statuses of answers, and what happened to redirects.
func tellStatuses(b *bytes.Buffer, r *load.Result) {
	statuses := r.Statuses
	if len(statuses) == 0 {
		return
	}
	const most = 10
	var texts []string
	left := -r.Redirected // redirections that were not followed
	for i, s := range statuses {
		if i < most {
			texts = append(texts, fmt.Sprintf("%d × %d", s.Count, s.Status))
		}
		if s.Status/100 == 3 && s.Status != 304 {
			left += s.Count
		}
	}
	if len(statuses) > most {
		texts = append(texts, "…")
	}
	fmt.Fprintf(b, "  statuses  %s\n", strings.Join(texts, ", "))
	if r.Redirected > 0 {
		fmt.Fprintf(b, "            followed %s: the service got %d requests\n", compare.Counted(int(r.Redirected), "redirection"), r.Requests()+r.Redirected)
	}
	if left > 0 {
		fmt.Fprintf(b, "            did not follow %s, because of other hosts, -redirects or -expect\n", compare.Counted(int(left), "redirection"))
	}
}

func tellSilences(b *bytes.Buffer, silences []load.Silence) {
	const most = 5
	for i, s := range silences {
		if i == most {
			fmt.Fprintf(b, "            … %d more times\n", len(silences)-most)
			break
		}
		fmt.Fprintf(b, "  silent    %v\n", s)
	}
}

func tellFailures(b *bytes.Buffer, r *load.Result) {
	if r.Failed == 0 {
		return
	}
	fmt.Fprintf(b, "  failed    %s, %.3g %%\n", compare.Counted(int(r.Failed), "request"), 100*float64(r.Failed)/float64(r.Requests()))
	for _, c := range r.Failures {
		fmt.Fprintf(b, "  %9d   %s\n", c.Count, compare.Printable(c.Name))
		for _, text := range c.Samples {
			fmt.Fprintf(b, "            %s\n", compare.Printable(text))
		}
	}
}

func tellRounds(b *bytes.Buffer, rounds []load.Round) {
	const most = 20
	if len(rounds) == 0 {
		return
	}
	fmt.Fprintln(b)
	for i, round := range rounds {
		if i == most {
			fmt.Fprintf(b, "  … %d more\n", len(rounds)-most)
			break
		}
		fmt.Fprintf(b, "  round %-4d %6d answered in %s: %s per second\n", i+1, round.Succeeded, timeText(pointer(round.End-round.Start)), rateText(round.Rate()))
	}
}

func pointer[T any](v T) *T { return &v }

func tellCosts(b *bytes.Buffer, r *measure.Report) {
	if len(r.Costs) == 0 {
		return
	}
	fmt.Fprintf(b, "\n  a request costs")
	for i, c := range r.Costs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + costText(c.Value, c.Unit))
		if c.Kind == "cpu" && r.GCShare != nil {
			fmt.Fprintf(b, " (%.3g %% in garbage collection)", 100**r.GCShare)
		}
	}
	fmt.Fprintln(b)
	for _, h := range r.Hottest {
		fmt.Fprintf(b, "  %7.1f %%  %s\n", 100*h.Share, compare.Printable(h.Function))
	}
}

// costText is the cost of a request in words.
func costText(value float64, unit string) string {
	switch unit {
	case "allocs/op":
		return countPerRequest(value, "allocations")
	case "gcs/op":
		return countPerRequest(value, "garbage collections")
	}
	value, unit = benchunit.Tidy(value, unit)
	scaled := benchunit.Scale(value, benchunit.ClassOf(unit))
	switch unit {
	case "cpu-sec/op":
		return scaled + "s of CPU time"
	case "mutex-sec/op":
		return scaled + "s of waiting for mutexes"
	case "block-sec/op":
		return scaled + "s of blocking"
	case "B/op":
		return scaled + "B"
	}
	return scaled + " " + unit
}

// countPerRequest is a number of things per request. Less than one is put per 1,000 or per
// million requests: 0.55 garbage collections per 1,000 requests.
func countPerRequest(n float64, what string) string {
	switch {
	case n == 0:
		return "no " + what
	case n >= 0.9995: // which rounds to one
		return benchunit.Scale(max(1, n), benchunit.Decimal) + " " + what
	case n >= 0.0001:
		return fmt.Sprintf("%.3g %s per 1,000 requests", 1000*n, what)
	}
	return fmt.Sprintf("%.3g %s per million requests", 1e6*n, what)
}
