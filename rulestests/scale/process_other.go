//go:build !linux

package main

import "syscall"

// ofItsOwn is of no use where there is no /proc to measure by; it only lets the package compile.
func ofItsOwn() *syscall.SysProcAttr { return nil }
