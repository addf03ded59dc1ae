package scrape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"
)

// A Group is a list of targets, as static or in a file of them.
type Group struct {
	// Targets are host:port, or URLs, which bring their own scheme and prefix.
	Targets []string          `toml:"targets" json:"targets" yaml:"targets"`
	Labels  map[string]string `toml:"labels" json:"labels" yaml:"labels"`
}

// formatOf returns how the text of a file with groups is read.
func formatOf(name string) (func([]byte) ([]Group, error), error) {
	switch filepath.Ext(name) {
	case ".json":
		return func(data []byte) (groups []Group, err error) {
			d := json.NewDecoder(bytes.NewReader(data))
			d.DisallowUnknownFields()
			return groups, d.Decode(&groups)
		}, nil
	case ".yaml", ".yml":
		return func(data []byte) (groups []Group, err error) {
			d := yaml.NewDecoder(bytes.NewReader(data))
			d.KnownFields(true)
			if err = d.Decode(&groups); err == io.EOF {
				err = nil // an empty file
			}
			return groups, err
		}, nil
	case ".toml":
		return func(data []byte) ([]Group, error) {
			var file struct {
				Group []Group `toml:"group"`
			}
			d := toml.NewDecoder(bytes.NewReader(data))
			d.DisallowUnknownFields()
			return file.Group, d.Decode(&file)
		}, nil
	}
	return nil, fmt.Errorf("%s: unknown format of a file with targets: use .json, .yaml or .toml", name)
}
