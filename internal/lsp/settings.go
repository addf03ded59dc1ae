package lsp

import (
	"encoding/json"
	"fmt"
)

// Settings are what a client can choose, in initializationOptions and workspace/didChangeConfiguration. A server's address isn't among
// them: settings may come with a repository, and hone would send its token there.
type Settings struct {
	// Lenses and Findings are shown unless they are false.
	Lenses   bool `json:"lenses"`
	Findings bool `json:"findings"`
	// MinShare is the smallest share of a profile for which a function has a lens.
	MinShare float64 `json:"minShare"`
	// Service is the service whose profiles count, or a selector, if hone lsp has a server.
	Service string `json:"service"`
}

// DefaultSettings are those of a client that chooses nothing.
func DefaultSettings() Settings { return Settings{Lenses: true, Findings: true, MinShare: 0.01} }

// read changes the settings by what a client sends. They may be below "hone", as in VS Code. What isn't there stays.
func (s Settings) read(sent json.RawMessage) (Settings, error) {
	if len(sent) == 0 || string(sent) == "null" {
		return s, nil
	}
	var below struct {
		Hone json.RawMessage `json:"hone"`
	}
	if err := json.Unmarshal(sent, &below); err != nil {
		return s, fmt.Errorf("invalid settings: %w", err)
	}
	if len(below.Hone) > 0 && string(below.Hone) != "null" {
		sent = below.Hone
	}
	now := s
	if err := json.Unmarshal(sent, &now); err != nil {
		return s, fmt.Errorf("invalid settings: %w", err)
	}
	if !(now.MinShare >= 0 && now.MinShare <= 1) {
		return s, fmt.Errorf("invalid minShare %v: use a share from 0 to 1, such as 0.01", now.MinShare)
	}
	return now, nil
}
