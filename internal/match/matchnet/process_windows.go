package matchnet

import (
	"os/exec"
	"syscall"
)

// separate keeps the signals of the terminal from a child: Ctrl-C ends this process, which ends its children.
func separate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
