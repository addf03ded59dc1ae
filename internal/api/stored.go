package api

// Label is a label with its values, except More that were left out.
type Label struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
	More   int      `json:"more"`
}

// Service describes a service.
type Service struct {
	Name     string           `json:"name"`
	Kinds    []ServiceKind    `json:"kinds"`
	Versions []ServiceVersion `json:"versions"`
	Profiles int64            `json:"profiles"`
	Last     int64            `json:"last"` // ms since 1970
}

// ServiceKind describes a service's profiles of one kind.
type ServiceKind struct {
	Kind string `json:"kind"`
	Type string `json:"type"`
	Unit string `json:"unit"`
	Figures
}

// ServiceVersion describes the profiles of one version of a service.
type ServiceVersion struct {
	Version  string `json:"version"`
	Profiles int64  `json:"profiles"`
	Last     int64  `json:"last"` // ms since 1970
}

// Records are single profiles, in columns.
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

// OverTime has totals over time. Times are ms since 1970.
type OverTime struct {
	From     int64         `json:"from"`
	To       int64         `json:"to"`
	Step     int64         `json:"step"` // ms
	Series   []GroupSeries `json:"series"`
	Left     int           `json:"left"`
	Warnings []string      `json:"warnings"`
}

// GroupSeries is one group over time. A Value is an integer, a fraction, or nil if
// there is nothing to divide by.
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

// HeatMap has cells by time and the values of a label, or by time and ranges of the values of
// single profiles, without Label. A cell is an entry of Row, Column, Value and Profiles.
type HeatMap struct {
	From     int64     `json:"from"` // ms since 1970
	To       int64     `json:"to"`
	Step     int64     `json:"step"` // ms
	Label    string    `json:"label"`
	Type     string    `json:"type"`
	Unit     string    `json:"unit"`
	Time     []int64   `json:"time"` // starts of columns, ms since 1970
	Rows     []HeatRow `json:"rows"`
	Row      []int     `json:"row"`    // index in Rows
	Column   []int     `json:"column"` // index in Time
	Value    []any     `json:"value"`  // as in GroupSeries
	Profiles []int64   `json:"profiles"`
	Left     int       `json:"left"`    // rows that were left out
	Earlier  int64     `json:"earlier"` // profiles that were left out
	Warnings []string  `json:"warnings"`
}

// HeatRow is a value of the label, or a range of values.
type HeatRow struct {
	Label string  `json:"label"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Figures
}

// DeletedService is a service whose profiles were deleted, or would be.
type DeletedService struct {
	Service  string `json:"service"`
	Profiles int64  `json:"profiles"`
	Deleted  bool   `json:"deleted"` // false for a dry run
}

// Figures are totals of several profiles.
type Figures struct {
	Value    any   `json:"value"`
	Profiles int64 `json:"profiles"`
	Duration int64 `json:"duration"` // ns
	Last     int64 `json:"last"`     // ms since 1970
}

// HistoryOptions are the report options that apply to a history.
var HistoryOptions = []string{
	"focus", "ignore", "hide", "show", "show_from", "prune_from", "tagfocus", "tagignore", "granularity", "noinlines", "mine",
}

// History says how much functions took over time and in each version. Columns have an entry
// per window, or per version.
type History struct {
	From      int64             `json:"from"` // ms since 1970
	To        int64             `json:"to"`
	Step      int64             `json:"step"` // ms
	Type      string            `json:"type"`
	Unit      string            `json:"unit"`
	Time      []int64           `json:"time"`  // ms since 1970
	Total     []int64           `json:"total"` // 100 % of shares
	Profiles  []int64           `json:"profiles"`
	Duration  []int64           `json:"duration"`           // ns
	Requests  []float64         `json:"requests,omitempty"` // in the time of the profiles, if costs are per request; 0 if unknown
	Versions  []HistoryVersion  `json:"versions"`           // in the order they came
	Left      int               `json:"left"`               // earlier versions, which were left out
	Functions []FunctionHistory `json:"functions"`
	Warnings  []string          `json:"warnings"`
}

// HistoryVersion is a version in a History.
type HistoryVersion struct {
	Version  string  `json:"version"`
	First    int64   `json:"first"` // start of its first profile in the time asked for, ms since 1970
	Total    int64   `json:"total"` // 100 % of shares
	Profiles int64   `json:"profiles"`
	Duration int64   `json:"duration"`           // ns
	Profile  string  `json:"profile"`            // id of the selection
	Counted  bool    `json:"counted"`            // requests were counted in the time of its profiles
	Requests float64 `json:"requests,omitempty"` // how many, if costs are per request: then all versions have them
}

// FunctionHistory is one function in a History.
type FunctionHistory struct {
	Name     string           `json:"name"`
	Flat     []int64          `json:"flat"`
	Cum      []int64          `json:"cum"`
	Versions FunctionVersions `json:"versions"`
	First    *FirstSeen       `json:"first,omitempty"`  // nil if it was in no profile
	Change   *ShareChange     `json:"change,omitempty"` // nil if there is nothing to compare
	Growth   *Growth          `json:"growth,omitempty"` // nil unless functions rank by it
}

// Growth says how a function's value per profile grew with time.
type Growth struct {
	Slope  float64 `json:"slope"`  // per hour, of the line that fits the windows best
	Before float64 `json:"before"` // mean of the first third of the windows
	After  float64 `json:"after"`  // mean of the last third
	Sure   float64 `json:"sure"`   // the part of After - Before that exceeds what windows vary by
}

// FunctionVersions has a function's values per version.
type FunctionVersions struct {
	Flat []int64 `json:"flat"`
	Cum  []int64 `json:"cum"`
}

// FirstSeen says when a function was first in a profile. Start means that it was in the first
// window, in a version that is older, so the function may be older too.
type FirstSeen struct {
	Time    int64  `json:"time"` // start of the window or of the version, ms since 1970
	Version string `json:"version"`
	Start   bool   `json:"start"`
}

// ShareChange is the largest change of a function's share, in percent: from one version to the
// next, or from the first third of the windows to the last if Version is empty.
type ShareChange struct {
	Time    int64   `json:"time"`    // start of the later part, ms since 1970
	Version string  `json:"version"` // of the later part
	Before  float64 `json:"before"`
	After   float64 `json:"after"`
	Sure    float64 `json:"sure"` // the part of After - Before that exceeds the sampling error
	Cost    int     `json:"cost"` // 1 if the function costs an instance more, -1 if less, 0 if that isn't sure
}

// Marker is an event, such as a deployment.
type Marker struct {
	ID      string `json:"id"`
	Time    int64  `json:"time"` // ms since 1970
	Service string `json:"service"`
	Version string `json:"version"`
	Text    string `json:"text"`
	Posted  bool   `json:"posted"`
	// Profile is the id of the selection that a note is on; "" of other markers.
	Profile string `json:"profile,omitempty"`
	By      string `json:"by,omitempty"` // name of the token or user that posted it
}
