package doctornet

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"touchline/internal/doctor"
)

// readText returns the contents of a file of the kernel, at most 1 MiB, "" if it cannot be read.
func readText(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 1<<20)) // the part before an error
	return string(b)
}

// setting returns a number of /proc/sys.
func setting(path string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(readText("/proc/sys/net/" + path)))
	return n, err == nil
}

// system reads the tables and settings of the kernel into f.
func system(f *doctor.Facts) (notes []string) {
	name := f.Interface.Name
	f.Routes = doctor.ParseRoutes(readText("/proc/net/route"))
	for _, r := range f.Routes {
		if r.Interface == name && r.To.Bits() == 0 && !r.Gateway.IsUnspecified() {
			f.Gateway = r.Gateway
		}
	}
	wireless := readText("/proc/net/wireless")
	f.Interface.Wireless = doctor.HasWireless(wireless, name)
	f.Sockets = portSockets(f.Group.Port())
	if slices.ContainsFunc(f.Sockets, func(s doctor.PortSocket) bool { return s.PID == 0 }) {
		notes = append(notes, fmt.Sprintf("port %d has sockets of other users' programs: run as root to see which",
			f.Group.Port()))
	}
	var ok1, ok2, ok3 bool
	f.MaxMemberships, ok1 = setting("ipv4/igmp_max_memberships")
	f.FragmentBytes, ok2 = setting("ipv4/ipfrag_high_thresh")
	f.RPFilter, ok3 = setting("ipv4/conf/" + name + "/rp_filter")
	all, _ := setting("ipv4/conf/all/rp_filter")
	f.RPFilter = max(f.RPFilter, all)
	if f.Kernel = ok1 && ok2 && ok3; !f.Kernel {
		notes = append(notes, "some settings in /proc/sys/net/ipv4 cannot be read: their faults are not found")
	}
	f.Container = container()
	f.WSL = strings.Contains(strings.ToLower(readText("/proc/sys/kernel/osrelease")), "microsoft")
	firewall(f)
	return notes
}

// container returns the kind of the container that this program runs in.
func container() string {
	if _, err := os.Stat("/.dockerenv"); err == nil {
		return "Docker"
	}
	if _, err := os.Stat("/run/.containerenv"); err == nil {
		return "Podman"
	}
	return os.Getenv("container") // systemd-nspawn, LXC
}

// firewall finds which firewall rules this machine. Only root may read the rules themselves.
func firewall(f *doctor.Facts) {
	if strings.Contains(readText("/etc/ufw/ufw.conf"), "\nENABLED=yes") {
		f.Firewall = "ufw"
	}
	if _, err := os.Stat("/run/firewalld"); err == nil {
		f.Firewall = "firewalld"
	}
	if !f.Root {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	rules, _ := exec.CommandContext(ctx, "nft", "--json", "list", "ruleset").Output() // none without the program
	f.Chains = doctor.ParseChains(rules)
}

// portSockets returns the sockets on a port that other programs have, with their owners.
func portSockets(port uint16) []doctor.PortSocket {
	all := doctor.ParseUDP(readText("/proc/net/udp"), port)
	if len(all) == 0 {
		return nil
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/[0-9]*")
	for _, link := range links {
		target, err := os.Readlink(link)
		if err != nil || !strings.HasPrefix(target, "socket:[") {
			continue
		}
		inode, err := strconv.ParseUint(strings.Trim(target, "socket:[]"), 10, 64)
		if err != nil {
			continue
		}
		for i := range all {
			if all[i].Inode == inode {
				all[i].PID, _ = strconv.Atoi(strings.Split(link, "/")[2])
			}
		}
	}
	all = slices.DeleteFunc(all, func(s doctor.PortSocket) bool { return s.PID == os.Getpid() })
	for i := range all {
		name(&all[i])
	}
	return all
}

// name reads name and start of a socket's program.
func name(s *doctor.PortSocket) {
	if s.PID == 0 {
		return
	}
	folder := fmt.Sprintf("/proc/%d/", s.PID)
	s.Program = strings.TrimSpace(readText(folder + "comm"))
	stat := readText(folder + "stat")
	const start = 19 // after the name, which may hold spaces
	if fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:]); len(fields) > start {
		s.Started, _ = strconv.ParseUint(fields[start], 10, 64)
	}
}

// counters reads the kernel's counters.
func counters() (c doctor.Counters) {
	more, basic := readText("/proc/net/netstat"), readText("/proc/net/snmp")
	c.ReversePath = doctor.ParseCounter(more, "TcpExt", "IPReversePathFilter")
	c.Buffer = doctor.ParseCounter(basic, "Udp", "RcvbufErrors")
	c.Reassembly = doctor.ParseCounter(basic, "Ip", "ReasmFails")
	return c
}

// drops makes the drops of the port's sockets those since they were read.
func drops(f *doctor.Facts) {
	for _, now := range doctor.ParseUDP(readText("/proc/net/udp"), f.Group.Port()) {
		for i := range f.Sockets {
			if f.Sockets[i].Inode == now.Inode {
				f.Sockets[i].Drops = now.Drops - min(now.Drops, f.Sockets[i].Drops)
			}
		}
	}
}

// neighbor returns what the kernel knows of an address on an interface.
func neighbor(a netip.Addr, iface string) doctor.Neighbor {
	return doctor.ParseNeighbor(readText("/proc/net/arp"), a, iface)
}
