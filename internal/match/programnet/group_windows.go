package programnet

import (
	"os/exec"
	"syscall"
)

// separate puts a program into a process group of its own: Ctrl-C ends this process, which ends the program.
func separate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// kill ends a program. Its children are to end with their standard input.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may have ended
