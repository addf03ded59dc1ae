package api

// ProfileList lists the open profiles.
type ProfileList struct {
	Profiles []Profile `json:"profiles"`
	Start    string    `json:"start"` // query of the first view
	Offers
}

// Offers says what else a server has.
type Offers struct {
	Runs       bool `json:"runs,omitempty"`       // kept runs
	Continuous bool `json:"continuous,omitempty"` // a store, from which profiles can be selected
	Advice     bool `json:"advice,omitempty"`     // source code, so that it can give advice
}

// Info describes a profile.
type Info struct {
	Profile
	Header            []string    `json:"header"`
	SampleTypes       []ValueType `json:"sampleTypes"`
	DefaultSampleType int         `json:"defaultSampleType"`
	Time              string      `json:"time,omitempty"`
	Duration          int64       `json:"duration"`
	Period            int64       `json:"period"`
	PeriodType        ValueType   `json:"periodType"`
	Comments          []string    `json:"comments"`
	DocURL            string      `json:"docURL,omitempty"`
	Foldable          bool        `json:"foldable"` // it has your code and other code
	Samples           int         `json:"samples"`
	Functions         int         `json:"functions"`
	Locations         int         `json:"locations"`
	Mappings          []Mapping   `json:"mappings"`
	Labels            []LabelKey  `json:"labels"`

	Selection *SelectionInfo `json:"selection,omitempty"`
}

// Build identifies the code that a profile was taken of.
type Build struct {
	Package  string `json:"package,omitempty"`  // the import path of the program's main package
	Module   string `json:"module,omitempty"`   // the path of its module
	Version  string `json:"version,omitempty"`  // of the module
	Revision string `json:"revision,omitempty"` // the commit
	Modified bool   `json:"modified,omitempty"` // there were uncommitted changes
	Go       string `json:"go,omitempty"`       // the version of Go
}

// SelectionInfo describes a selection.
type SelectionInfo struct {
	Q          string  `json:"q"`
	From       int64   `json:"from,omitempty"` // ms since 1970
	To         int64   `json:"to,omitempty"`   // ms since 1970
	Except     string  `json:"except,omitempty"`
	SampleType string  `json:"sampleType,omitempty"`
	Top        float64 `json:"top,omitempty"`
	ID         string  `json:"id,omitempty"`
	Per        string  `json:"per,omitempty"`
	Span       string  `json:"span,omitempty"`
	Profiles   int64   `json:"profiles"`
	Duration   int64   `json:"duration"` // ns
	Last       int64   `json:"last"`     // ms since 1970
}

// ValueType is a type of value and its unit.
type ValueType struct {
	Type string `json:"type"`
	Unit string `json:"unit"`
}

// Mapping is a program or library.
type Mapping struct {
	File    string `json:"file"`
	BuildID string `json:"buildID"`
}

// LabelKey is a key of labels, with the number of its distinct values.
type LabelKey struct {
	Key     string `json:"key"`
	Numeric bool   `json:"numeric"`
	Unit    string `json:"unit,omitempty"`
	Values  int    `json:"values"`
}

// Profile is an entry in the list of profiles.
type Profile struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Merged  int      `json:"merged"`
	Sources []string `json:"sources,omitempty"`
	State   string   `json:"state"`
	Error   string   `json:"error,omitempty"`
	// Types are the sample types of a profile that is loaded.
	Types []ValueType `json:"types,omitempty"`
}

// A View is a saved set of options.
type View struct {
	Name  string `json:"name"`
	Query string `json:"query"`
	By    string `json:"by,omitempty"` // name of the token or user that saved it
}
