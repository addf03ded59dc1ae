package api

import (
	"github.com/hone-go/hone/internal/advice"
	"github.com/hone-go/hone/internal/tune"
)

// Advice is the output of hone advise -json, with what a page needs in addition.
type Advice struct {
	advice.Report
	Title    string        `json:"title"`    // introduces the summary
	Findings []Finding     `json:"findings"` // instead of those in Report
	History  []tune.Result `json:"history"`  // outcomes of rewrites, the newest first
	Module   string        `json:"module"`   // the folder with the source
	Run      string        `json:"run,omitempty"`
	Kept     bool          `json:"kept"` // hone fix can apply the findings, in that folder
	Time     int64         `json:"time"` // ms since 1970
}

// A Finding is a finding with its printed form.
type Finding struct {
	advice.Finding
	Place   string   `json:"place"`             // file, relative to the module, and line
	Costs   []string `json:"costs"`             // as hone advise prints them
	Profile string   `json:"profile,omitempty"` // id of the profile that shows its cost
}

// AdviceProgress says how far unfinished advice is.
type AdviceProgress struct {
	Stage   string `json:"stage"`
	Elapsed int64  `json:"elapsed"` // ms
}
