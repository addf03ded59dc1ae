package daemon

import (
	"context"
	"time"

	"github.com/hone-go/hone/internal/fnmetrics"
	"github.com/hone-go/hone/profile"
)

// metricRuleConfig is a rule that makes a metric of functions.
type metricRuleConfig struct {
	Name       string         `toml:"name"`
	Help       string         `toml:"help"`
	Select     string         `toml:"select"`
	SampleType string         `toml:"sample_type"`
	Functions  string         `toml:"functions"`
	Packages   string         `toml:"packages"`
	Value      string         `toml:"value"`
	Callees    bool           `toml:"callees"`
	By         []string       `toml:"by"`
	Limit      int            `toml:"limit"`
	Interval   configDuration `toml:"interval"`
}

// functionMetrics returns the function metrics that are asked for.
func (c *Config) functionMetrics() (*fnmetrics.Plan, error) {
	of := &c.FunctionMetrics
	out := fnmetrics.Config{Interval: time.Duration(of.Interval), Delay: time.Duration(of.Delay), Limit: of.Limit, Budget: of.Budget}
	for _, r := range of.Rules {
		out.Rules = append(out.Rules, fnmetrics.RuleConfig{
			Name: r.Name, Help: r.Help, Select: r.Select, SampleType: r.SampleType, Functions: r.Functions, Packages: r.Packages,
			Value: r.Value, Callees: r.Callees, By: r.By, Limit: r.Limit, Interval: time.Duration(r.Interval),
		})
	}
	return fnmetrics.Compile(out)
}

// newFunctionMetrics returns what measures function metrics. Until it has rules, it does
// nothing.
func (d *daemon) newFunctionMetrics() *fnmetrics.Watch {
	return fnmetrics.NewWatch(fnmetrics.Options{Store: d.store, Log: d.warn, Memory: func(ctx context.Context) (profile.Budget, func()) {
		share := d.memory.Share(ctx, d.memory.Total()/2)
		return share, share.Close
	}})
}

// applyFunctionMetrics has the rules of a configuration measured.
func (d *daemon) applyFunctionMetrics(c *Config) error {
	plan, err := c.functionMetrics()
	if err != nil {
		return c.Blame("function_metrics", err)
	}
	d.functions.Apply(plan)
	return nil
}
