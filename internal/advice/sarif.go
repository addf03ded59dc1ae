package advice

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// The part of SARIF 2.1.0 (OASIS, 2020) that findings need.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver struct {
				Name  string      `json:"name"`
				Rules []sarifRule `json:"rules"`
			} `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
		Full  sarifText `json:"fullDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   map[string]any    `json:"properties"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region struct {
				StartLine   int `json:"startLine"`
				StartColumn int `json:"startColumn,omitempty"`
			} `json:"region"`
		} `json:"physicalLocation"`
	}
)

// noLinks escapes what SARIF's messages treat as a link, [text](address), by section 3.11.6. A
// conversion such as F[int](x) isn't a link either.
func noLinks(message string) string { return strings.ReplaceAll(message, "](", `\](`) }

// WriteSARIF writes a report in the format that code scanning services and editors read. Paths are
// relative to dir.
func (r *Report) WriteSARIF(w io.Writer, dir string, rules []*Rule) error {
	var run sarifRun
	run.Tool.Driver.Name = "hone"
	run.Tool.Driver.Rules = []sarifRule{}
	run.Results = []sarifResult{}
	shown := r.Shown()
	for _, rule := range rules {
		if slices.ContainsFunc(shown, func(f Finding) bool { return f.Rule == rule.ID }) {
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{rule.ID, sarifText{rule.Title}, sarifText{rule.Doc}})
		}
	}
	for _, f := range shown {
		result := sarifResult{
			RuleID: f.Rule, Level: "warning",
			Message:      sarifText{noLinks(strings.Join(append([]string{f.Title + "."}, append(f.Costs(), f.Why)...), "\n"))},
			Fingerprints: map[string]string{"hone/v1": f.ID},
			Properties:   map[string]any{"class": f.Class, "state": f.State, "bound": f.Bound},
		}
		if f.Class == AdviceOnly || f.Class == Look {
			result.Level = "note"
		}
		if rel, err := filepath.Rel(dir, f.File); err == nil && f.File != "" {
			var at sarifLocation
			at.Physical.Artifact.URI = (&url.URL{Path: filepath.ToSlash(rel)}).String()
			at.Physical.Region.StartLine, at.Physical.Region.StartColumn = f.Line, f.Column
			result.Locations = []sarifLocation{at}
		}
		run.Results = append(run.Results, result)
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}
