//go:build !linux

package transport

import "touchline/soccer"

// msgTrunc is MSG_TRUNC of macOS and the BSDs. Windows returns an error instead (wsaeMsgSize) and does not use this
// bit.
const msgTrunc = 0x10

func prepare(_ uintptr, iface string) (missing []string) {
	if iface == "" {
		return []string{noOtherSenders, noKernelTime, noDropCount}
	}
	return []string{noOtherGroups, noOtherInterfaces, noKernelTime, noDropCount}
}

func parse([]byte) (at soccer.Time, drops uint32, counted bool) { return 0, 0, false }
