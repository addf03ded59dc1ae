//go:build !linux

package load

// keepAwake is for Linux, where what it is against was measured.
func keepAwake() (release func()) { return func() {} }
