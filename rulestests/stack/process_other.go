//go:build !linux

package stack

import "syscall"

// ofItsOwn puts a component into a process group of its own, so that Ctrl-C reaches only whoever started the stack and takes it down in order.
func ofItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
