// Package stage is what hone does as the process that starts a program for package
// spawn: it starts it, tells its pid, and ends, all while Go initializes packages.
// Package syscall is all it needs, so its turn comes before those that take memory:
// as the start of a program, which is the least that can be counted for another.
package stage

import "syscall"

// Marker is the environment variable that asks for the stage.
const Marker = "HONE_SPAWN_STAGE"

// Values of it: the program is in the stage's process group, or leads one of its own.
const (
	Plain = "1"
	Group = "group"
)

// Report is the file descriptor that the stage writes one line to: "PID PEAK", with
// its own peak resident set in kB, which the program inherits, or "- ERRNO" if the
// program can't be started.
const Report = 3

func init() {
	mode, ok := syscall.Getenv(Marker)
	if !ok || mode != Plain && mode != Group {
		return
	}
	syscall.CloseOnExec(Report)
	args := split(read("/proc/self/cmdline"))
	if len(args) < 3 { // itself, the program's path, its arguments
		syscall.Exit(2)
	}
	var env []string
	for _, v := range syscall.Environ() {
		if len(v) <= len(Marker) || v[:len(Marker)+1] != Marker+"=" {
			env = append(env, v)
		}
	}
	pid, err := syscall.ForkExec(args[1], args[2:], &syscall.ProcAttr{Env: env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setpgid: mode == Group}})
	line := decimal(pid) + " " + decimal(Peak(read("/proc/self/status")))
	if err != nil {
		errno, _ := err.(syscall.Errno)
		line = "- " + decimal(int(errno))
	}
	syscall.Write(Report, []byte(line+"\n"))
	syscall.Exit(0)
}

// read returns a file of /proc, what can be read of it.
func read(name string) []byte {
	fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	var text []byte
	buf := make([]byte, 4096)
	for {
		n, err := syscall.Read(fd, buf)
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 {
			break
		}
		text = append(text, buf[:n]...)
	}
	syscall.Close(fd)
	return text
}

// split returns strings that end with a zero byte each.
func split(text []byte) (parts []string) {
	for start, i := 0, 0; i < len(text); i++ {
		if text[i] == 0 {
			parts = append(parts, string(text[start:i]))
			start = i + 1
		}
	}
	return parts
}

// Peak returns the peak resident set in /proc/PID/status, in kB; 0 if it doesn't say.
func Peak(status []byte) (kB int) {
	const name = "\nVmHWM:"
	for i := 0; i+len(name) <= len(status); i++ {
		if string(status[i:i+len(name)]) != name {
			continue
		}
		for _, c := range status[i+len(name):] {
			switch {
			case c >= '0' && c <= '9':
				kB = 10*kB + int(c-'0')
			case kB > 0:
				return kB
			}
		}
	}
	return kB
}

func decimal(n int) string {
	if n < 10 {
		return string(rune('0' + max(0, n)))
	}
	return decimal(n/10) + decimal(n%10)
}
