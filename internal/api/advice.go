package api

import (
	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/tune"
)

// Advice is what hone advise -json prints, and what a page needs beside, as doc/api.md
// describes it.
type Advice struct {
	advice.Report
	Findings []Finding     `json:"findings"` // in place of those of the report
	History  []tune.Result `json:"history"`  // what became of rewrites, the newest first
	Module   string        `json:"module"`   // the folder whose source the findings are of
	Run      string        `json:"run,omitempty"`
	Kept     bool          `json:"kept"` // hone fix knows the findings, in that folder
	Time     int64         `json:"time"` // ms since 1970
}

// A Finding is one with what is printed of it.
type Finding struct {
	advice.Finding
	Place   string   `json:"place"`             // file and line, from the module's folder on
	Costs   []string `json:"costs"`             // as hone advise prints them
	Profile string   `json:"profile,omitempty"` // the id of the one that shows what it costs
}

// AdviceProgress is how far advice is that is not there yet.
type AdviceProgress struct {
	Stage   string `json:"stage"`
	Elapsed int64  `json:"elapsed"` // ms
}
