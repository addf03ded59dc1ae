package fnmetrics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hone-go/hone/internal/fnmetrics"
)

// good is a rule without a mistake.
func good() fnmetrics.RuleConfig {
	return fnmetrics.RuleConfig{Name: "json", Select: `cpu{service="shop"}`, Packages: "encoding/json"}
}

func TestCompileErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*fnmetrics.Config)
		want   string // all errors
	}{
		{"nothing", func(*fnmetrics.Config) {}, ""},
		{"interval", func(c *fnmetrics.Config) { c.Interval = time.Second }, "interval: invalid duration 1s: use 10s to 24h0m0s\nrule \"json\": interval: invalid duration 1s: use 10s to 24h0m0s"},
		{"delay", func(c *fnmetrics.Config) { c.Delay = -1 }, "delay: invalid duration -1ns: use 1s to 24h0m0s"},
		{"limit", func(c *fnmetrics.Config) { c.Limit = -1 }, "limit: invalid number of series -1: use 1 to 100000"},
		{"budget", func(c *fnmetrics.Config) { c.Budget = 2 }, "budget: invalid share of a CPU 2: use a number such as 0.05, at most 1"},
		{"no name", func(c *fnmetrics.Config) { c.Rules[0].Name = "" }, "rule 1: name: missing: give the name of the metric, such as shop_json"},
		{"name", func(c *fnmetrics.Config) { c.Rules[0].Name = "a-b" }, `rule "a-b": name: invalid name "a-b": use letters, digits and _, and start with a letter`},
		{"reserved", func(c *fnmetrics.Config) { c.Rules[0].Name = "hone_function_metric_x" }, `rule "hone_function_metric_x": name: the name "hone_function_metric_x" is reserved: choose another one`},
		{"counter", func(c *fnmetrics.Config) { c.Rules[0].Name = "a_total" }, `rule "a_total": name: the name "a_total" ends like one of a counter or histogram: leave out _total`},
		{"twice", func(c *fnmetrics.Config) {
			c.Rules = append(c.Rules, good())
			c.Rules[1].Name = "json_cores"
		}, `rule "json_cores": name: rule "json" makes the same metric: choose another name`},
		{"no functions", func(c *fnmetrics.Config) { c.Rules[0].Packages = "" }, `rule "json": functions: missing: give a pattern in functions or packages`},
		{"functions", func(c *fnmetrics.Config) { c.Rules[0].Functions = "a(" }, "rule \"json\": functions: error parsing regexp: missing closing ): `a(`"},
		{"packages", func(c *fnmetrics.Config) { c.Rules[0].Packages = "(x{30}){30}" }, `rule "json": packages: the pattern has more than 500 steps, repetitions multiplied out`},
		{"no select", func(c *fnmetrics.Config) { c.Rules[0].Select = "" }, `rule "json": select: missing: give the profiles, such as cpu{service="shop"}`},
		{"select", func(c *fnmetrics.Config) { c.Rules[0].Select = "cpu{" }, `rule "json": select: selector "cpu{": at byte 4: expected the name of a label or }, but the selector ends`},
		{"kinds", func(c *fnmetrics.Config) { c.Rules[0].Select = `{service="a"}` }, `rule "json": select: "{service=\"a\"}" selects several kinds of profiles: begin with one, such as cpu{service="shop"}`},
		{"value", func(c *fnmetrics.Config) { c.Rules[0].Value = "percent" }, `rule "json": value: unknown value "percent": use absolute or share`},
		{"rule's limit", func(c *fnmetrics.Config) { c.Rules[0].Limit = -5 }, `rule "json": limit: invalid number of series -5: use 1 to 100000`},
		{"label", func(c *fnmetrics.Config) { c.Rules[0].By = []string{"a b"} }, `rule "json": by: invalid label name "a b": use letters, digits, _ . and -, and start with a letter or _`},
		{"reserved label", func(c *fnmetrics.Config) { c.Rules[0].By = []string{"__name__"} }, `rule "json": by: the label name "__name__" is reserved in Prometheus`},
		{"equal labels", func(c *fnmetrics.Config) { c.Rules[0].By = []string{"k8s.pod", "k8s_pod"} }, `rule "json": by: the labels "k8s.pod" and "k8s_pod" have the same name in Prometheus: leave out one`},
		{"several", func(c *fnmetrics.Config) { c.Rules[0] = fnmetrics.RuleConfig{Name: "x"} }, "rule \"x\": functions: missing: give a pattern in functions or packages\nrule \"x\": select: missing: give the profiles, such as cpu{service=\"shop\"}"},
	} {
		c := fnmetrics.Config{Rules: []fnmetrics.RuleConfig{good()}}
		test.change(&c)
		_, err := fnmetrics.Compile(c)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

func TestCompileDefaults(t *testing.T) {
	p, err := fnmetrics.Compile(fnmetrics.Config{Rules: []fnmetrics.RuleConfig{good()}})
	if err != nil {
		t.Fatal(err)
	}
	r := p.Rules[0]
	if p.Limit != 2000 || p.Budget != 0.05 || r.Interval != time.Minute || r.Delay != time.Minute || r.Limit != 100 || r.Value != fnmetrics.ValueAbsolute {
		t.Errorf("got limit %d, budget %v, %+v", p.Limit, p.Budget, r.RuleConfig)
	}
	if strings.Contains(r.ID(), "0x") {
		t.Errorf("ID has an address: %s", r.ID())
	}
}
