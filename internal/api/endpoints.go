package api

// Endpoints says what requests cost, by endpoint and over time. Columns have an entry per
// window.
type Endpoints struct {
	From      int64          `json:"from"` // ms since 1970
	To        int64          `json:"to"`
	Step      int64          `json:"step"` // ms
	Type      string         `json:"type"` // of the cost
	Unit      string         `json:"unit"`
	Time      []int64        `json:"time"`  // starts of windows, ms since 1970
	Total     EndpointCost   `json:"total"` // all requests, and all of the cost
	Endpoints []EndpointCost `json:"endpoints"`
	Left      int            `json:"left"`
	Warnings  []string       `json:"warnings"`
}

// EndpointCost is what the requests for an endpoint cost. The endpoint "" is work outside of
// requests. Costs are in the unit per request, or nil if that isn't known.
type EndpointCost struct {
	Endpoint string       `json:"endpoint"`
	Requests int64        `json:"requests"` // counted
	Cost     any          `json:"cost"`
	Share    float64      `json:"share"` // of the whole cost, in percent
	Over     EndpointOver `json:"over"`
}

// EndpointOver has columns of an endpoint.
type EndpointOver struct {
	Requests []int64 `json:"requests"`
	Cost     []any   `json:"cost"`
}
