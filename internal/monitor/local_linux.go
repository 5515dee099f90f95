package monitor

import (
	"bufio"
	"encoding/hex"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// ownsConnection reports whether the program at the other end of a TCP connection on this machine, which goes from one
// address to another, belongs to the user of this program.
func ownsConnection(from, to netip.AddrPort) bool {
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(table)
		if err != nil {
			continue
		}
		user, found := userOf(bufio.NewScanner(f), from, to)
		f.Close()
		if found {
			return user == os.Getuid()
		}
	}
	return false
}

// userOf returns the user of a connection in a table of the kernel (proc(5), /proc/net/tcp).
func userOf(rows *bufio.Scanner, from, to netip.AddrPort) (user int, found bool) {
	const local, remote, uid = 1, 2, 7 // columns
	for rows.Scan() {
		row := strings.Fields(rows.Text())
		if len(row) <= uid || tableAddress(row[local]) != from || tableAddress(row[remote]) != to {
			continue
		}
		user, err := strconv.Atoi(row[uid])
		return user, err == nil
	}
	return 0, false
}

// tableAddress reads an address as "0100007F:1F4E": words of 32 bits in the byte order of the processor, all supported ones
// of which are little-endian, and the port in hexadecimal digits.
func tableAddress(text string) netip.AddrPort {
	words, digits, _ := strings.Cut(text, ":")
	b, err := hex.DecodeString(words)
	port, bad := strconv.ParseUint(digits, 16, 16)
	if err != nil || bad != nil || len(b)%4 != 0 {
		return netip.AddrPort{}
	}
	for word := range slices.Chunk(b, 4) {
		slices.Reverse(word)
	}
	addr, _ := netip.AddrFromSlice(b) // the zero address is none of a connection
	return netip.AddrPortFrom(addr.Unmap(), uint16(port))
}
