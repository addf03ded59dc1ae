package calls

import (
	"net"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"runtime/debug"
)

func about() (all []string) {
	// want C: ask once, at startup or with sync.OnceValue
	dir, _ := os.Getwd() // hot: os.Getwd
	// want C: ask once, at startup or with sync.OnceValue
	self, _ := os.Executable() // hot: os.Executable
	// want C: ask once, at startup or with sync.OnceValue
	home, _ := os.UserHomeDir() // hot: os.UserHomeDir
	// want C: ask once, at startup or with sync.OnceValue
	me, _ := user.Current() // hot: os/user.Current
	// want C: ask once, at startup or with sync.OnceValue
	tool, _ := exec.LookPath("go") // hot: os/exec.LookPath
	// want C: ask once, at startup or with sync.OnceValue
	links, _ := net.Interfaces() // hot: net.Interfaces
	// want C: ask once, at startup or with sync.OnceValue
	addresses, _ := net.InterfaceAddrs() // hot: net.InterfaceAddrs
	all = append(all, dir, self, home, me.Name, tool, links[0].Name, addresses[0].String())
	// want C: read it once, with sync.OnceValues
	info, _ := debug.ReadBuildInfo() // hot: runtime/debug.ReadBuildInfo
	var memory runtime.MemStats
	// want C: Package runtime/metrics
	runtime.ReadMemStats(&memory) // hot: runtime.ReadMemStats
	// want C: runtime.Callers and format them only when they are read
	all = append(all, info.Path, string(debug.Stack())) // hot: runtime/debug.Stack
	return all
}
