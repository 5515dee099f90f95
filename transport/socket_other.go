//go:build !linux

package transport

// msgTrunc is MSG_TRUNC of macOS and the BSDs. Windows returns an error instead (wsaeMsgSize) and does not use this
// bit.
const msgTrunc = 0x10

func prepare(_ uintptr, iface string) (missing []string) {
	if iface == "" {
		return []string{noOtherSenders, noKernelTime, noDropCount}
	}
	return []string{noOtherGroups, noOtherInterfaces, noKernelTime, noDropCount}
}

func parse([]byte) control { return control{} }

func enableBursts(uintptr) bool { return false }

func enlarge(uintptr, int) bool { return false }

func segmentMessage(int) (oob [0]byte) { return oob }

func noBursts(error) bool { return false }
