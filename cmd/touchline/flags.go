package main

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"touchline/internal/console"
	"touchline/internal/manager/managernet"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/refbox/refboxnet"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/transport"
	"touchline/transport/traffic"
	"touchline/wire/mixedteam"
)

// given returns those of the named flags that the user gave, each with a leading blank, as on the command line.
func given(c *cobra.Command, names ...string) string {
	var b strings.Builder
	for _, name := range names {
		if f := c.Flags().Lookup(name); f.Changed {
			fmt.Fprintf(&b, " --%s %s", name, f.Value)
		}
	}
	return b.String()
}

// needs refuses flags that have no effect without another one.
func needs(c *cobra.Command, other string, names ...string) error {
	for _, name := range names {
		if c.Flags().Changed(name) && !c.Flags().Changed(other) {
			return console.Usage(fmt.Errorf("--%s needs --%s: without it, it has no effect", name, other))
		}
	}
	return nil
}

// checkProfiles checks the value of --profiles: a folder, also one that does not exist yet.
func checkProfiles(dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return console.Usage(fmt.Errorf("--profiles %.60s: want a folder", dir))
	}
	return nil
}

// fieldFlag is the flag --field.
type fieldFlag struct{ name string }

func (f *fieldFlag) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.name, "field", "18x12", "size of the MSL field in m: 18x12 or 22x14")
}

func (f *fieldFlag) field() (soccer.Field, error) {
	preset, ok := match.Fields[f.name]
	if !ok {
		return soccer.Field{}, console.Usage(fmt.Errorf("--field %.40s: want 18x12 or 22x14", f.name))
	}
	return preset(), nil
}

// addLink adds the flags of the impaired links between robots.
func addLink(flags *pflag.FlagSet, link *traffic.Link) {
	flags.Float64Var(&link.Loss, "loss", 0, "share of datagrams lost on the way to each receiver, 0 to 1")
	flags.Float64Var(&link.Burst, "burst", 1, "mean number of datagrams lost in a row")
	flags.DurationVar(&link.Delay, "delay", 0, "delay added to each datagram")
	flags.DurationVar(&link.Jitter, "jitter", 0, "random delay of up to this, added to --delay")
	console.Accept(flags, "a share from 0 to 1, for example 0.1", "loss")
	console.Accept(flags, "a time from 0 to 1h, for example 20ms", "delay", "jitter")
}

// networkFlags are the flags of the mixed teams' multicast group.
type networkFlags struct {
	group, iface string
	ttl          int
}

func (n *networkFlags) add(flags *pflag.FlagSet, sends bool) {
	flags.StringVar(&n.iface, "interface", "",
		"network interface, for example eth0 (default: loopback, nothing leaves this machine)")
	flags.StringVar(&n.group, "group", mixedteam.Group, "multicast group and port")
	if sends {
		flags.IntVar(&n.ttl, "ttl", 1, "TTL of sent packets, 0 to 255: the number of routers to cross plus one")
		console.Accept(flags, "a whole number from 0 to 255, for example 1", "ttl")
	}
}

// config returns the network of the flags.
func (n *networkFlags) config() (transport.Config, error) {
	group, err := netip.ParseAddrPort(n.group)
	if err != nil || group.Port() == 0 {
		return transport.Config{}, fmt.Errorf("--group %.60s: want an address and a port, for example %s", n.group,
			mixedteam.Group)
	}
	cfg := transport.DefaultConfig(group)
	cfg.Interface, cfg.TTL, cfg.ThisMachine = n.iface, n.ttl, n.iface == ""
	return cfg, nil
}

// visionFlag says how the robots of the practical session see.
type visionFlag struct{ name string }

func (f *visionFlag) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.name, "vision", "sensor",
		"how robots see: sensor (an error model), or pixels (rendered pictures); NuBot's camera always uses pixels")
}

// robots returns the robots that see by pixels. Those of a story see what the story needs.
func (f *visionFlag) robots(story bool) (soccer.RobotSet, error) {
	const nubot = 5 // its number among match.Participants
	switch {
	case f.name != "sensor" && f.name != "pixels":
		return 0, fmt.Errorf("--vision %.40s: want sensor or pixels", f.name)
	case story:
		return 0, nil
	case f.name == "pixels":
		return ^soccer.RobotSet(0), nil
	}
	return soccer.RobotSet(0).With(nubot), nil
}

// meta returns the metadata of a record of demo.
func (f *demoFlags) meta(cfg matchnet.Config) map[string]string {
	return map[string]string{matchlog.MetaField: cfg.RefBox.Box.Name, matchlog.MetaSize: f.field.name}
}

// addresses returns the addresses of the session, one a line.
func (f *demoFlags) addresses(s *matchnet.Session, page *page) string {
	ini, field := s.TCM()
	if f.session.Alone {
		return fmt.Sprintf("robot 1, alone on its field: %srobot/1\nlog:  %slog, until the end\nteam: %s\n", page.url, page.url, ini)
	}
	box, log := s.RefBox(), f.dir
	what := fmt.Sprintf("practical session, seed %d", f.session.Seed)
	if f.story != "" {
		what = "story " + f.story
	}
	if !f.addressed && s.Key() == "" { // with a key others are to join
		return startLines(what, page, box)
	}
	if log == "" {
		log = "temporary, --dir keeps it: " + page.url + "log"
	}
	more := fmt.Sprintf("log:           %s\nfoxglove:      %s\n", log, page.foxglove())
	if ini != "" {
		size := "" // and what else it needs
		if f.field.name != "18x12" {
			size = " --size " + f.field.name
		}
		if key := s.Key(); key != "" {
			size += " --interface " + f.network.iface + " --key " + key
		}
		more += fmt.Sprintf("team:          %s, with the field at %s: touchline robot --id 3 --field %s%s\n", ini, field, field, size)
	}
	return startLines(what, page, box, fmt.Sprintf("base stations: %s\n", box.Addr()), more)
}

// startLines returns what a program prints at its start: what to open, the referee's page, what more there is, and its end.
func startLines(what string, page *page, box *refboxnet.Server, more ...string) string {
	return fmt.Sprintf("%s, open this: %s\n%s%sCtrl-C ends it\n", what, page.url, page.referee(box), strings.Join(more, ""))
}

// picturesFlags are the flags of pictures that play in the place of a camera.
type picturesFlags struct {
	dir  string
	rate float64
}

// pictureRate is the default of --pictures-rate, that of the cameras of package camera.
const pictureRate = 25

func (p *picturesFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&p.dir, "pictures", "",
		"folder of PNG or JPEG files from a real camera, played instead of the simulated camera in order of name, in a loop")
	flags.Float64Var(&p.rate, "pictures-rate", pictureRate, "with --pictures: pictures a second, 1 to 60")
	console.Accept(flags, "a number from 1 to 60, for example 25", "pictures-rate")
}

// open opens the folder; without one it returns nil.
func (p *picturesFlags) open() (*managernet.PictureFolder, error) {
	switch {
	case p.dir == "" && p.rate != pictureRate:
		return nil, errors.New("--pictures-rate needs --pictures: give a folder")
	case p.dir == "":
		return nil, nil
	}
	r, err := managernet.OpenPictureFolder(p.dir, p.rate)
	if errors.Is(err, managernet.ErrRate) {
		return nil, fmt.Errorf("--pictures-rate %g: want 1 to 60 pictures a second, for example 25", p.rate)
	}
	if err != nil {
		return nil, fmt.Errorf("--pictures %s", strings.TrimPrefix(err.Error(), "film: "))
	}
	return r, nil
}

// addRecordPictures adds --record-pictures.
func addRecordPictures(flags *pflag.FlagSet, rate *uint8) {
	flags.Uint8Var(rate, "record-pictures", 0,
		"camera pictures a second to record for each robot, 1 to 25 (default: none; docs/manager.md)")
	console.Accept(flags, "a whole number from 0 to 25, for example 10", "record-pictures")
}
