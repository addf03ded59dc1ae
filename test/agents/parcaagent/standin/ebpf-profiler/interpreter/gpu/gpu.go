// Package gpu has the names that the reporter of Parca's agent uses. No process
// has a GPU.
package gpu

// Config is of a process's GPU.
type Config struct{}

// NsPerSample returns the time that a sample stands for.
func (Config) NsPerSample() int64 { return 0 }

// LoadGpuConfig returns the configuration of a process's GPU.
func LoadGpuConfig(uint32) (Config, bool) { return Config{}, false }

// WarnMissingGpuConfig does nothing.
func WarnMissingGpuConfig(uint32) {}
