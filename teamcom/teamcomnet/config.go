package teamcomnet

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
)

// Config configures an Endpoint.
type Config struct {
	// Node configures the module. Open completes Directory, Team and Secret from TCM.ini; where that names no key, the
	// Secret of Node counts.
	Node teamcom.Config
	// Ini is the path of TCM.ini, which is reloaded when it changes. Default "", Node.Directory, or localDirectory where
	// that is nil
	Ini string
	// Adapt changes each directory that is read from Ini, before it is in use. Default nil: it is used as it is
	Adapt func(*teamcom.Directory)
	Key   string // path of the team's key file. Default "", the one that TCM.ini names, if any
	// Address is the address and the base port of an entity whose address in TCM.ini is any. Default 127.0.0.1 and four
	// available ports
	Address   netip.AddrPort
	Interface string // of the multicast groups, for example "eth0". Default "", the one that has the entity's address
	// ReadBuffer is the size of the system's buffer of each socket in bytes. Default 16 MiB for bulk, 4 MiB for others
	ReadBuffer [tcm.Sockets]int
}

// DefaultConfig returns the Config of a robot or computer. Its boot id is the time of the call.
func DefaultConfig(self tcm.Entity) Config {
	cfg := Config{
		Node: teamcom.DefaultConfig(self), Address: netip.MustParseAddrPort("127.0.0.1:0"),
		ReadBuffer: [tcm.Sockets]int{4 << 20, 4 << 20, 4 << 20, 4 << 20},
	}
	cfg.ReadBuffer[tcm.Bulk] = 16 << 20
	cfg.Node.Boot = bootID(soccer.NewClock(time.Now()).Start)
	return cfg
}

// bootEpoch is 2020-01-01.
const bootEpoch soccer.Time = 1_577_836_800e9

// bootID returns a number that is greater after each start of a program: tenths of a second since bootEpoch, the rule
// of docs/teamcom.md. They fit into 32 bits until August 2033. A clock that was never set gives 1.
func bootID(now soccer.Time) uint32 { return uint32(max((now-bootEpoch)/1e8, 1)) }

// Sizes of localDirectory.
const (
	localRobots    = 6
	localComputers = 2
)

// localDirectory returns the directory that stands in for TCM.ini: robots 1 to 6 and computers 1 and 2 on 127.0.0.1.
// Robot n has the base port 23000 + 10 n, computer n 23100 + 10 n.
func localDirectory() *teamcom.Directory {
	d := &teamcom.Directory{Team: 1}
	add := func(kind tcm.Kind, count uint8, port uint16) {
		for id := uint8(1); id <= count; id++ {
			at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port+10*uint16(id))
			d.Entries = append(d.Entries, teamcom.Entry{Entity: tcm.Entity{Kind: kind, ID: id}, Addr: at})
		}
	}
	add(tcm.Robot, localRobots, 23000)
	add(tcm.Computer, localComputers, 23100)
	return d
}

// directory returns the directory to begin with.
func (c *Config) directory() (*teamcom.Directory, error) {
	switch {
	case c.Ini != "":
		return c.read()
	case c.Node.Directory != nil:
		return c.Node.Directory, nil
	}
	return localDirectory(), nil
}

// read reads TCM.ini.
func (c *Config) read() (*teamcom.Directory, error) {
	text, err := os.ReadFile(c.Ini)
	if err != nil {
		return nil, fmt.Errorf("teamcomnet: %w", err)
	}
	d, err := teamcom.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("teamcomnet: %s: %w", c.Ini, err)
	}
	if c.Adapt != nil {
		c.Adapt(d)
	}
	return d, nil
}

// readKey reads the file with the team's key. Without one it returns the secret of Node.
func (c *Config) readKey(d *teamcom.Directory) ([]byte, error) {
	path := c.Key
	if path == "" && d.KeyFile != "" {
		if path = d.KeyFile; !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(c.Ini), path)
		}
	}
	if path == "" {
		return c.Node.Secret, nil
	}
	secret, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("teamcomnet: the team's key: %w", err)
	}
	if _, err := tcm.NewKey(secret); err != nil {
		return nil, fmt.Errorf("teamcomnet: %s: %w", path, err)
	}
	return secret, nil
}
