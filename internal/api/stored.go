package api

// Label is a label with its values, as doc/api.md describes it; More were left
// out.
type Label struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
	More   int      `json:"more"`
}

// Service is what is known of a service, as doc/api.md describes it.
type Service struct {
	Name     string           `json:"name"`
	Kinds    []ServiceKind    `json:"kinds"`
	Versions []ServiceVersion `json:"versions"`
	Profiles int64            `json:"profiles"`
	Last     int64            `json:"last"` // ms since 1970
}

// ServiceKind are the profiles of one kind of a service.
type ServiceKind struct {
	Kind string `json:"kind"`
	Type string `json:"type"`
	Unit string `json:"unit"`
	Figures
}

// ServiceVersion are the profiles of one version of a service.
type ServiceVersion struct {
	Version  string `json:"version"`
	Profiles int64  `json:"profiles"`
	Last     int64  `json:"last"` // ms since 1970
}

// Records are single profiles in columns, as doc/api.md describes them.
type Records struct {
	Labels   []RecordLabels `json:"labels"`
	ID       []string       `json:"id"`
	Time     []int64        `json:"time"`     // ms since 1970
	Duration []int64        `json:"duration"` // ns
	Value    []int64        `json:"value"`
	Series   []int          `json:"series"`  // indexes in Labels
	Profile  []string       `json:"profile"` // ids of selections
	More     bool           `json:"more"`
}

// RecordLabels are the labels of profiles.
type RecordLabels struct {
	Labels map[string]string `json:"labels"`
	Type   string            `json:"type"`
	Unit   string            `json:"unit"`
}

// OverTime is the answer of totals over time, as doc/api.md describes it. Times
// are ms since 1970.
type OverTime struct {
	From     int64         `json:"from"`
	To       int64         `json:"to"`
	Step     int64         `json:"step"` // ms
	Series   []GroupSeries `json:"series"`
	Left     int           `json:"left"`
	Warnings []string      `json:"warnings"`
}

// GroupSeries is one group over time. Value has whole numbers, fractions, or nil
// where there is nothing to divide by.
type GroupSeries struct {
	Labels  map[string]string `json:"labels"`
	Type    string            `json:"type"`
	Unit    string            `json:"unit"`
	Total   Figures           `json:"total"`
	Profile string            `json:"profile"` // id of the selection

	Time     []int64 `json:"time"` // starts of windows
	Value    []any   `json:"value"`
	Profiles []int64 `json:"profiles"`
	Duration []int64 `json:"duration"` // ns
}

// DeletedService is a service whose profiles were deleted, or would be.
type DeletedService struct {
	Service  string `json:"service"`
	Profiles int64  `json:"profiles"`
	Deleted  bool   `json:"deleted"` // false of a dry run
}

// Figures are those of several profiles.
type Figures struct {
	Value    any   `json:"value"`
	Profiles int64 `json:"profiles"`
	Duration int64 `json:"duration"` // ns
	Last     int64 `json:"last"`     // ms since 1970
}

// HistoryOptions are the report options that a history heeds.
var HistoryOptions = []string{
	"focus", "ignore", "hide", "show", "show_from", "prune_from", "tagfocus", "tagignore", "granularity", "noinlines", "mine",
}

// History is how much functions took over time and in versions, as doc/api.md
// describes it. Columns have an entry per window, and those of versions one per
// version.
type History struct {
	From      int64             `json:"from"` // ms since 1970
	To        int64             `json:"to"`
	Step      int64             `json:"step"` // ms
	Type      string            `json:"type"`
	Unit      string            `json:"unit"`
	Time      []int64           `json:"time"`  // ms since 1970
	Total     []int64           `json:"total"` // what shares are of
	Profiles  []int64           `json:"profiles"`
	Duration  []int64           `json:"duration"` // ns
	Versions  []HistoryVersion  `json:"versions"` // in the order they came
	Left      int               `json:"left"`     // versions that came before those
	Functions []FunctionHistory `json:"functions"`
	Warnings  []string          `json:"warnings"`
}

// HistoryVersion is a version that a History is of.
type HistoryVersion struct {
	Version  string `json:"version"`
	First    int64  `json:"first"` // start of its first profile in the time asked for, ms since 1970
	Total    int64  `json:"total"` // what shares are of
	Profiles int64  `json:"profiles"`
	Duration int64  `json:"duration"` // ns
	Profile  string `json:"profile"`  // id of the selection
}

// FunctionHistory is one function of a History.
type FunctionHistory struct {
	Name     string           `json:"name"`
	Flat     []int64          `json:"flat"`
	Cum      []int64          `json:"cum"`
	Versions FunctionVersions `json:"versions"`
	First    *FirstSeen       `json:"first,omitempty"`  // nil if it never was
	Change   *ShareChange     `json:"change,omitempty"` // nil if there is nothing to compare
}

// FunctionVersions are a function's values in versions.
type FunctionVersions struct {
	Flat []int64 `json:"flat"`
	Cum  []int64 `json:"cum"`
}

// FirstSeen is when a function was in a profile first. Start tells that it was in the
// first window already, of a version that is older: the function may be, too.
type FirstSeen struct {
	Time    int64  `json:"time"` // start of the window or of the version, ms since 1970
	Version string `json:"version"`
	Start   bool   `json:"start"`
}

// ShareChange is how a function's share changed the most, from one version to the next
// or, Version being empty, from the first third of the windows to the last. Shares are
// in percent.
type ShareChange struct {
	Time    int64   `json:"time"`    // when what came after began, ms since 1970
	Version string  `json:"version"` // what came after
	Before  float64 `json:"before"`
	After   float64 `json:"after"`
	Sure    float64 `json:"sure"` // how much of After - Before is beyond the sampling error
}

// Marker is something that happened, as doc/api.md describes it.
type Marker struct {
	ID      string `json:"id"`
	Time    int64  `json:"time"` // ms since 1970
	Service string `json:"service"`
	Version string `json:"version"`
	Text    string `json:"text"`
	Posted  bool   `json:"posted"`
}
