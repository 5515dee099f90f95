package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/game"
	"touchline/internal/camera"
	"touchline/internal/console"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/robot"
	"touchline/internal/robot/robotnet"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport"
	"touchline/wire/mixedteam"
)

// robotFlags are the flags of the command robot.
type robotFlags struct {
	id       uint8
	team     string
	field    string
	group    string
	iface    string
	variant  string
	trailer  int
	seed     uint64
	booking  string
	plays    string
	size     string
	key      string
	pictures picturesFlags
	json     bool
	child    bool
	duration time.Duration
}

// packageVariants are the formats of packages by the value of --package.
var packageVariants = map[string]mixedteam.Variant{"v1": mixedteam.V1, "v2": mixedteam.V2, "falcons": mixedteam.V2Padded}

// robotBesideField returns the command robot without --alone.
func robotBesideField() *cobra.Command {
	var f robotFlags
	c := &cobra.Command{
		Use:   "robot",
		Short: "Run one robot of a session or match in its own process",
		Long: `Robot runs the software of one robot of the practical session. It joins the field of a running "touchline
demo", takes over this robot from the session, receives its sensor data and sends its motor commands over the TCM, and
shares mixed team packages and measurements with the other robots. Kill it to crash the robot: the others notice that
it is gone, and you can start it again.

With --team home or away it plays in a match: touchline demo --match --away external waits for five such robots, and
touchline demo --match --processes starts ten of them.

touchline demo --addresses prints the address of the field. Your own program can drive a robot too: see
docs/teamcom.md.`,
		Example: `  touchline robot --id 3 --team A --field 127.0.0.1:23456
  touchline robot --id 3 --team away --field 127.0.0.1:24096
  touchline robot --id 3 --field 127.0.0.1:23456 --json --duration 60s
  touchline robot --id 3 --field 192.0.2.1:24096 --interface eth0 --key KEY   # demo on another machine
  touchline robot --id 3 --field 127.0.0.1:23456 --pictures recorded --pictures-rate 15`,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := f.config(c)
			if err != nil {
				return console.Usage(err)
			}
			return f.run(c, cfg)
		},
	}
	flags := c.Flags()
	flags.Uint8Var(&f.id, "id", 0, "number of the robot, 1 to 6, as in the session")
	flags.StringVar(&f.team, "team", "A",
		"team of the robot: A in the practical session; home or away in a match")
	flags.StringVar(&f.field, "field", "", "address and base port of the field, as touchline demo --addresses prints them")
	flags.StringVar(&f.group, "group", mixedteam.Group, "multicast group and port of the mixed team packages")
	flags.StringVar(&f.iface, "interface", "", "network interface of that group, for example eth0 (default: loopback)")
	flags.StringVar(&f.variant, "package", "v2",
		"format of the robot's packages: v1, v2, or falcons (v2 padded to 188 bytes)")
	flags.IntVar(&f.trailer, "trailer", 0, "extra bytes after each package, 0 to 1200")
	flags.StringVar(&f.booking, "booking", "lease",
		"how the robot books the ball, as its teammates do: lease, literal, nearest or none")
	flags.StringVar(&f.plays, "plays", match.Teams()[0].Name,
		"in a match: software that the robot runs, a team from touchline match --help")
	flags.StringVar(&f.size, "size", "18x12", "size of the field in m, as in the session or match: 18x12 or 22x14")
	flags.StringVar(&f.key, "key", "",
		"key to sign with, as printed by touchline demo --interface (default: TOUCHLINE_KEY, if set)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the jitter of its messages")
	flags.BoolVar(&f.json, "json", false,
		"print the measurements of the robot's TCM node as JSON, twice a second and when a link changes")
	f.pictures.add(flags)
	console.AddDuration(flags, &f.duration)
	console.Accept(flags, "the number of a robot, 1 to 6, for example 3", "id")
	console.Accept(flags, "a whole number from 0 to 1200, for example 64", "trailer")
	flags.BoolVar(&f.child, matchnet.ChildFlag, false, "stop when the standard input ends")
	_ = flags.MarkHidden(matchnet.ChildFlag) // it exists
	return c
}

// Flags of the practical session, and of a match.
var (
	onlyInSession = []string{"group", "interface", "package", "trailer", "booking"}
	onlyInMatch   = []string{"plays"}
)

// config converts the flags.
func (f *robotFlags) config(c *cobra.Command) (cfg robotnet.Config, err error) {
	others := onlyInMatch
	if f.team != "A" {
		others = onlyInSession
	}
	for _, name := range others {
		if c.Flags().Changed(name) {
			return cfg, fmt.Errorf("--%s: team %.40s does not use it: leave it out", name, f.team)
		}
	}
	if cfg.Field, err = netip.ParseAddrPort(f.field); err != nil || cfg.Field.Port() == 0 {
		return cfg, fmt.Errorf("--field %.60s: want the address and the base port that touchline demo --addresses prints, "+
			"for example 127.0.0.1:23456", f.field)
	}
	size, ok := match.Fields[f.size]
	if !ok {
		return cfg, fmt.Errorf("--size %.40s: want 18x12 or 22x14", f.size)
	}
	cfg.Entity = robot.Field
	if key := cmp.Or(f.key, os.Getenv(matchnet.KeyVariable)); key != "" {
		cfg.Secret = []byte(key)
	}
	if cfg.PictureFolder, err = f.pictures.open(); err != nil {
		return cfg, err
	}
	switch f.team {
	case "A":
		return cfg, f.configureSession(&cfg, size())
	case string(game.Home), string(game.Away):
		return cfg, f.configureMatch(&cfg, size())
	}
	return cfg, fmt.Errorf("--team %.40s: want A, the only team of the practical session, or home or away for a match",
		f.team)
}

// configureMatch configures a robot of a match.
func (f *robotFlags) configureMatch(cfg *robotnet.Config, field soccer.Field) error {
	if f.id < 1 || f.id > match.MostRobots {
		return fmt.Errorf("--id %d: want the number of a robot of the match, 1 to %d, for example 3", f.id,
			match.MostRobots)
	}
	team, err := match.FindTeam(f.plays, os.ReadFile)
	if err != nil {
		return fmt.Errorf("--plays %w", err)
	}
	if team.External {
		return errors.New("--plays external: choose a team of touchline, for example touchline")
	}
	side := game.Side(f.team)
	game := match.MatchConfig{Field: field}
	*game.Team(side) = team
	cfg.Robot, cfg.Name, cfg.Team = game.Software(side, f.id), team.Name, matchnet.TeamNumber(side)
	cfg.Robot.Seed, cfg.Camera = f.seed, camera.Perspective()
	return nil
}

// configureSession configures a robot of the practical session.
func (f *robotFlags) configureSession(cfg *robotnet.Config, field soccer.Field) error {
	if f.id < 1 || int(f.id) > len(match.Participants()) {
		return fmt.Errorf("--id %d: want the number of a robot of the session, 1 to %d, for example 3", f.id,
			len(match.Participants()))
	}
	variant, ok := packageVariants[strings.ToLower(f.variant)]
	if !ok {
		return fmt.Errorf("--package %.40s: want v1, v2 or falcons", f.variant)
	}
	group, err := netip.ParseAddrPort(f.group)
	if err != nil || group.Port() == 0 {
		return fmt.Errorf("--group %.60s: want an address and a port, for example %s", f.group, mixedteam.Group)
	}
	if err := robot.CheckBooking(f.booking); err != nil {
		return fmt.Errorf("--booking %w", err)
	}
	p := match.Participants()[f.id-1]
	cfg.Robot = robot.DefaultConfig(p.Number, soccer.Cyan, p.TeamID)
	cfg.Robot.Booking = f.booking
	cfg.Robot.Variant, cfg.Robot.Trailer, cfg.Robot.Seed = variant, f.trailer, f.seed
	cfg.Robot.World.PeerScale, cfg.Robot.World.Field = p.PeerScale, field
	cfg.Name, cfg.Team, cfg.Camera = p.Team, match.TeamNumber, p.Optics()
	cfg.Network = transport.DefaultConfig(group)
	cfg.Network.Interface, cfg.Network.ThisMachine = f.iface, f.iface == ""
	return nil
}

// run runs the robot.
func (f *robotFlags) run(c *cobra.Command, cfg robotnet.Config) error {
	ctx, cancel, err := console.Limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	level := slog.LevelInfo
	if f.child {
		level = slog.LevelWarn
	}
	log := slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: level})).With("robot", f.id)
	var r *robotnet.Robot
	if f.json {
		encoder := json.NewEncoder(c.OutOrStdout())
		cfg.OnReport = func(report teamcom.Report) {
			own := matchnet.RobotReport{Report: report, Loop: r.Timing(), CPU: console.CPUTime().Seconds()}
			_ = encoder.Encode(own) // a closed pipe ends the process
		}
	}
	r, err = robotnet.New(cfg, log)
	if err != nil {
		return err
	}
	if f.child {
		var end context.CancelFunc
		ctx, end = obey(ctx, c.InOrStdin(), r, log)
		defer end()
	}
	err = r.Run(ctx)
	if err == nil && !r.Answered() && !f.child { // the parent of a child knows
		return fmt.Errorf("the field at %v never answered: is it running there, and is robot %d on the field and "+
			"switched on?", cfg.Field, f.id)
	}
	return err
}

// obey impairs what a robot receives as its parent says. It returns a context that ends when in does: the parent closed
// it or ended.
func obey(ctx context.Context, in io.Reader, r *robotnet.Robot, log *slog.Logger) (context.Context,
	context.CancelFunc,
) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		for d := json.NewDecoder(in); ; {
			var to robotnet.Reception
			err := d.Decode(&to)
			if err == nil {
				err = r.SetReception(to)
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				log.Warn("the parent says what the robot does not understand", "err", err)
				return
			}
		}
	}()
	return ctx, cancel
}

// besideField are the flags of the command robot that it has beside a field only.
var besideField = []string{"id", "team", "field", "key", "package", "trailer", "booking", "plays", "size", "seed", "json"}

// robotCommand returns the command robot, which with --alone simulates the field of one robot as well.
func robotCommand() *cobra.Command {
	c := robotBesideField()
	beside, alone := c.RunE, false
	var page pageFlags
	var profiles string
	c.Flags().BoolVar(&alone, "alone", false, "simulate one robot on an empty field, with a page to manage it")
	page.add(c.Flags())
	var record recordFlag
	addRecordPictures(c.Flags(), &record.pictures)
	c.Flags().StringVar(&profiles, "profiles", "", "with --alone: folder for profiles of the robot's parameters")
	c.Long += `

With --alone it needs no demo: it simulates one robot with a camera and a ball on an empty field, with a page to
manage the robot (docs/manager.md).`
	c.Example += "\n  touchline robot --alone\n  touchline robot --alone --pictures recorded"
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := needs(c, "alone", "profiles", "http", "view-only"); err != nil {
			return err
		}
		if !alone {
			return beside(c, args)
		}
		for _, name := range besideField {
			if c.Flags().Changed(name) {
				return console.Usage(fmt.Errorf("--%s: leave it out with --alone, which simulates robot 1 and its field", name))
			}
		}
		demo, f := demoCommand()
		demo.SetContext(c.Context())
		demo.SetOut(c.OutOrStdout())
		demo.SetErr(c.ErrOrStderr())
		f.session.Alone, f.session.Robots, f.session.Obstacles, f.page, f.profiles = true, 1, 0, page, profiles
		f.session.Kick, f.session.Substitute = [2]time.Duration{}, [2]time.Duration{}
		f.duration, _ = c.Flags().GetDuration("duration") // the command has these flags
		f.network.group, _ = c.Flags().GetString("group")
		f.network.iface, _ = c.Flags().GetString("interface")
		var own picturesFlags
		own.dir, _ = c.Flags().GetString("pictures")
		own.rate, _ = c.Flags().GetFloat64("pictures-rate")
		folder, err := own.open()
		if err != nil {
			return console.Usage(err)
		}
		f.folder, f.record = folder, record
		return runDemo(demo, f)
	}
	return c
}
