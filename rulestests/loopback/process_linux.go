package loopback

import "syscall"

// ofItsOwn puts a command into a process group of its own, so that Ctrl-C reaches only whoever started it and takes it down in order; and lets
// the kernel kill it if that one dies without doing so.
func ofItsOwn() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
