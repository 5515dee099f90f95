//go:build !linux

package doctornet

func prepare(uintptr, string, bool) {}

// setWhole is not available: whole reports that nothing was set.
func (*socket) setWhole(bool) bool { return false }
