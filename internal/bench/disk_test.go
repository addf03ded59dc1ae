//go:build !linux

package bench

import "errors"

func mountSmall(string) error { return errors.New("only on Linux") }

func unmount(string) error { return nil }
