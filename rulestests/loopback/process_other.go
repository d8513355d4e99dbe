//go:build !linux

package loopback

import "syscall"

// ofItsOwn puts a command into a process group of its own, so that Ctrl-C reaches only whoever started it and takes it down in order.
func ofItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
