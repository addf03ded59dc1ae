package api

// FunctionMetrics are the function metrics that a server is configured for.
type FunctionMetrics struct {
	Metrics []FunctionMetric `json:"metrics"`
}

// FunctionMetric is a rule that makes a metric of functions.
type FunctionMetric struct {
	Name     string   `json:"name"`
	Unit     string   `json:"unit"` // the end of the metric's name; "" before something is measured
	Help     string   `json:"help"`
	Value    string   `json:"value"` // absolute or share
	Callees  bool     `json:"callees"`
	By       []string `json:"by"`
	Limit    int      `json:"limit"`
	Interval int64    `json:"interval"` // ms
	// Select, Functions and Packages are empty for those who may see only some services,
	// because they can name others.
	Select    string `json:"select"`
	Functions string `json:"functions"`
	Packages  string `json:"packages"`
}

// FunctionMetricHistory has the values of a function metric over time. Times are ms since 1970.
type FunctionMetricHistory struct {
	Name     string                 `json:"name"`
	Unit     string                 `json:"unit"`
	From     int64                  `json:"from"`
	To       int64                  `json:"to"`
	Step     int64                  `json:"step"` // ms
	Time     []int64                `json:"time"` // starts of windows
	Series   []FunctionMetricSeries `json:"series"`
	Left     int                    `json:"left"` // series that were left out
	Warnings []string               `json:"warnings"`
}

// FunctionMetricSeries is one series. Values has an entry per window: nil without profiles.
type FunctionMetricSeries struct {
	Labels map[string]string `json:"labels"`
	Values []*float64        `json:"values"`
}
