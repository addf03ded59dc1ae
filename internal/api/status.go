package api

// Status describes the state of a server.
type Status struct {
	Version string   `json:"version"`
	Start   int64    `json:"start"`  // ms since 1970
	Now     int64    `json:"now"`    // ms since 1970
	Uptime  int64    `json:"uptime"` // ns
	User    User     `json:"user"`
	Ready   bool     `json:"ready"`
	Notices []Notice `json:"notices"`
	Ingest  []Ingest `json:"ingest"`
	// Degraded counts profiles that were changed before they were stored, by what
	// was changed.
	Degraded map[string]int64 `json:"degraded"`
	Limits   []Limit          `json:"limits"`
	Store    any              `json:"store"`
	// Retention is how long profiles are kept, in ns; 0 is for good.
	Retention int64 `json:"retention"`

	Queries Queries   `json:"queries"`
	Aside   []Aside   `json:"aside"`
	Scrape  []Scraped `json:"scrape"`
}

// Aside is a week of a service that the store set aside because a part of it can't be read.
type Aside struct {
	Service  string `json:"service"`  // "" if that can't be read either
	From     int64  `json:"from"`     // start of the week, ms since 1970; 0 if that can't be read
	Since    int64  `json:"since"`    // when it was found, ms since 1970
	Profiles *int64 `json:"profiles"` // how many it had, null if unknown
	Problem  string `json:"problem"`
	Next     string `json:"next"` // what to do
}

// A Notice is something an operator should know now.
type Notice struct {
	Level string `json:"level"` // info, warning or error
	Text  string `json:"text"`
	Since int64  `json:"since,omitempty"` // ms since 1970
}

// Levels of notices, by increasing urgency.
const (
	LevelInfo    = "info"
	LevelWarning = "warning"
	LevelError   = "error"
)

// Ingest counts what one protocol received.
type Ingest struct {
	Protocol string           `json:"protocol"`
	Profiles int64            `json:"profiles"`
	Bytes    int64            `json:"bytes"`
	Refused  map[string]int64 `json:"refused"` // by reason
}

// Limit is a limit, with how much of it is in use and how often it was reached.
type Limit struct {
	Name  string `json:"name"`
	Limit int64  `json:"limit"`
	Used  *int64 `json:"used,omitempty"`
	Hits  int64  `json:"hits"`
	Last  int64  `json:"last,omitempty"` // ms since 1970
}

// Queries counts computations.
type Queries struct {
	Running int64 `json:"running"`
	Waiting int64 `json:"waiting"`
	Limit   int64 `json:"limit"`
	Refused int64 `json:"refused"`
}

// Scraped is a target that the server scrapes.
type Scraped struct {
	Job      string            `json:"job"`
	Target   string            `json:"target"`
	Kind     string            `json:"kind"`
	Labels   map[string]string `json:"labels"`
	State    string            `json:"state"`
	Last     int64             `json:"last,omitempty"` // ms since 1970
	Took     int64             `json:"took"`           // ns
	Error    string            `json:"error,omitempty"`
	Profiles int64             `json:"profiles"`
}

// User says who sent the request.
type User struct {
	Name     string   `json:"name"`
	Roles    []string `json:"roles"`
	Services []string `json:"services,omitempty"`
	By       string   `json:"by"` // none, token or session
	Login    string   `json:"login,omitempty"`
}
