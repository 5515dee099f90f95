//go:build unix

package programnet

import (
	"os/exec"
	"syscall"
)

// separate puts a program into a process group of its own: Ctrl-C ends this process, which ends the group.
func separate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends a program and all that it started.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // the group may have ended
