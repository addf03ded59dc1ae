package api

// Overview says what services use now, and how much it was over a day. Times are ms since
// 1970.
type Overview struct {
	From     int64             `json:"from"` // start of the first window; each entry of Usage.Values is a window
	To       int64             `json:"to"`
	Step     int64             `json:"step"`
	Services []OverviewService `json:"services"` // the costliest first
	Left     int               `json:"left"`
}

// OverviewService is one service of an Overview.
type OverviewService struct {
	Name     string        `json:"name"`
	Last     int64         `json:"last"`
	Profiles int64         `json:"profiles"`
	Kinds    []ServiceKind `json:"kinds"`

	Version   string `json:"version"`  // the newest one that runs, "" if profiles have none
	Since     int64  `json:"since"`    // when it began; 0 if unknown
	Previous  string `json:"previous"` // the version before, "" if there is none
	Versions  int    `json:"versions"`
	Running   int    `json:"running"`   // versions that run now
	Instances int    `json:"instances"` // that run now

	CPU        *Usage `json:"cpu,omitempty"`        // cores
	Memory     *Usage `json:"memory,omitempty"`     // bytes in use
	Goroutines *Usage `json:"goroutines,omitempty"` // count
}

// Usage is how much of a resource a service uses. Now is the use of all instances over the
// last hour; nil if none sent a profile. Mean and Values are for an average instance.
type Usage struct {
	Now    *float64 `json:"now"`
	Mean   float64  `json:"mean"`
	Values []any    `json:"values"` // a number per window, or nil if it has no profiles
}

// ServiceChanges says what changed most in a service.
type ServiceChanges struct {
	Service   string             `json:"service"`
	Kind      string             `json:"kind"` // of the profiles
	To        int64              `json:"to"`   // ms since 1970
	Top       []FunctionShare    `json:"top"`
	Version   *ServiceComparison `json:"version,omitempty"`
	Yesterday *ServiceComparison `json:"yesterday,omitempty"`
}

// FunctionShare is the share of a function's own cost, in percent.
type FunctionShare struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// ServiceComparison compares a service with its version before, or with the day before.
type ServiceComparison struct {
	Profile   string           `json:"profile"` // ids of selections
	Base      string           `json:"base"`
	Instances int              `json:"instances"` // of the side with fewer
	Functions []FunctionChange `json:"functions"` // the largest sure change first
	Totals    []TotalChange    `json:"totals"`    // of one instance on average, or per request
	// PerRequest is set if requests were counted on both sides: functions have what they
	// cost per request, in Unit. Else they have shares.
	PerRequest bool   `json:"per_request"`
	Unit       string `json:"unit,omitempty"`
}

// FunctionChange is the change of a function's cost per request, or of its share, in percent.
// Cost is as in ShareChange.
type FunctionChange struct {
	Name   string  `json:"name"`
	Before float64 `json:"before"`
	After  float64 `json:"after"`
	Sure   float64 `json:"sure"`
	Cost   int     `json:"cost"`
}

// TotalChange is the change of what one instance uses on average. Kind is cpu, heap or
// goroutine, and values have the units of Overview. With PerRequest, it is that of what a
// request costs, in the unit of the comparison.
type TotalChange struct {
	Kind       string  `json:"kind"`
	PerRequest bool    `json:"per_request,omitempty"`
	Before     float64 `json:"before"`
	After      float64 `json:"after"`
	Sure       float64 `json:"sure"`
}
