package bench

import "syscall"

func mountSmall(dir string) error { return syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=48k") }

func unmount(dir string) error { return syscall.Unmount(dir, 0) }
