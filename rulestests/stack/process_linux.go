package stack

import "syscall"

// ofItsOwn puts a component into a process group of its own, so that Ctrl-C reaches only whoever started the stack and takes it down in
// order; and lets the kernel kill it if that one dies without doing so.
func ofItsOwn() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
