package main

import "syscall"

// ofItsOwn keeps Ctrl-C from a command, which the bench ends in its own time, and has the kernel end it should the bench die first.
func ofItsOwn() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
