package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/internal/fleet"
)

// defaultPort is NATS' port for clients.
const defaultPort = 4222

// upFlags are the flags of up.
type upFlags struct {
	dir, listen, key, cert, certKey string
	join                            []string
	most                            int64
	json                            bool
}

// started is what up --json prints once it is ready.
type started struct {
	URL   string `json:"url"`   // for programs on this machine
	Dir   string `json:"dir"`   // folder with the messages
	Key   string `json:"key"`   // file that other machines need; "": none is needed
	Nodes int    `json:"nodes"` // how many the cluster has; 1: a single server
}

func upCommand() *cobra.Command {
	var f upFlags
	c := &cobra.Command{
		Use:   "up",
		Short: "Run a server, alone or as one of a cluster, until Ctrl-C",
		Long: `Up runs a server that keeps plans, jobs and results in --dir, and writes each of them to disk before it
confirms it. It listens on 127.0.0.1:4222 unless --listen names another address. Other machines need a key, which up
creates at its first start: copy the key file to them, and pass it to their programs with --credentials.

With --join, run up once on each of three or more machines. Each one lists all machines, including itself, and its own
address with --listen. They talk to each other on a port 2,000 above the --listen port, and all need the same key.
Three machines then keep each message: if one dies, the others continue after a few seconds.

Without --tls-cert, anyone who can capture traffic on the network can read the matches and results; the key itself is
never sent.`,
		Example: `  touchline-fleet up
  touchline-fleet up --listen 10.0.0.5:4222
  touchline-fleet up --listen 10.0.0.5:4222 --join 10.0.0.5,10.0.0.6,10.0.0.7 --key fleet.key`,
		Args: console.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	set := c.Flags()
	set.StringVar(&f.dir, "dir", "fleet", "folder for plans, jobs and results")
	set.StringVar(&f.listen, "listen", "127.0.0.1:4222", "address for programs, HOST or HOST:PORT; port 0: a free port")
	set.StringSliceVar(&f.join, "join", nil, "addresses of all machines in the cluster, including this one, separated by commas")
	set.StringVar(&f.key, "key", "", "file with the key that programs need, created if missing (default: DIR/fleet.key if other machines can connect, else no key)")
	set.StringVar(&f.cert, "tls-cert", "", "PEM file of a certificate: programs then connect with tls://")
	set.StringVar(&f.certKey, "tls-key", "", "PEM file of its key")
	set.Int64Var(&f.most, "max-gb", 0, "limit of the data in --dir, in GB (default: three quarters of the free disk space)")
	set.BoolVar(&f.json, "json", false, "print the address as JSON once the server is ready")
	console.Accept(set, "a whole number of at least 0, for example 20", "max-gb")
	return c
}

// config checks the flags.
func (f *upFlags) config() (cfg fleet.Config, err error) {
	if f.most < 0 || f.most > 1<<20 {
		return cfg, fmt.Errorf("--max-gb %d: want 0 to 1048576", f.most)
	}
	cfg = fleet.Config{Dir: f.dir, Key: f.key, Cert: f.cert, CertKey: f.certKey, MaxStore: f.most * 1e9}
	if cfg.Listen, err = address(f.listen); err != nil {
		return cfg, fmt.Errorf("--listen %w", err)
	}
	for _, text := range f.join {
		node, err := address(strings.TrimSpace(text))
		if err != nil {
			return cfg, fmt.Errorf("--join %w", err)
		}
		cfg.Nodes = append(cfg.Nodes, node)
	}
	if f.key == "" && !cfg.Listen.Addr().IsLoopback() {
		if len(f.join) > 0 {
			return cfg, errors.New("--key is missing: all machines of a cluster need the same key; the first start with " +
				"--key fleet.key creates it; copy it to the other machines")
		}
		cfg.Key = filepath.Join(f.dir, "fleet.key")
	}
	return cfg, nil
}

// address reads HOST or HOST:PORT, where HOST is an IP address.
func address(text string) (netip.AddrPort, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.AddrPortFrom(a, defaultPort), nil
	}
	a, err := netip.ParseAddrPort(text)
	if err != nil {
		return a, fmt.Errorf("%.100q: want an IP address of this machine, or one with a port, for example 10.0.0.5:4222", text)
	}
	return a, nil
}

func (f *upFlags) run(c *cobra.Command) error {
	cfg, err := f.config()
	if err != nil {
		return console.Usage(err)
	}
	if cfg.Key != "" {
		if err := fleet.MakeKey(cfg.Key); err != nil {
			return console.Usage(fmt.Errorf("--key: %w", err))
		}
	}
	cfg.Log = console.Logger(c.ErrOrStderr())
	node, err := fleet.Start(cfg)
	if err != nil {
		return console.Usage(err)
	}
	defer node.Stop()
	if err := prepare(c.Context(), c, node, cfg.Key); err != nil {
		if c.Context().Err() != nil {
			return nil
		}
		return err
	}
	s := started{URL: node.URL(), Dir: f.dir, Key: cfg.Key, Nodes: max(1, len(cfg.Nodes))}
	if f.json {
		err = console.PrintJSON(c.OutOrStdout(), &s)
	} else {
		err = s.print(c)
	}
	if err != nil {
		return err
	}
	<-c.Context().Done()
	return nil
}

// prepare makes the streams. In a cluster that takes until most nodes are there.
func prepare(ctx context.Context, c *cobra.Command, node *fleet.Node, key string) error {
	q, err := node.Queue(key)
	if err != nil {
		return err
	}
	defer q.Close()
	const patience = 5 * time.Second
	waits := time.AfterFunc(patience, func() {
		fmt.Fprintln(c.ErrOrStderr(), "waiting for the other machines of --join")
	})
	defer waits.Stop()
	return q.Prepare(ctx, node.Replicas())
}

func (s *started) print(c *cobra.Command) error {
	keyed := ""
	if s.Key != "" {
		keyed = " --credentials " + s.Key
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), `ready at %s; Ctrl-C ends it, and what is stored stays in %s
play matches:  touchline worker --nats %s%s
hand them out: touchline batch run plan.json --dir results --nats %s%s
`, s.URL, s.Dir, s.URL, keyed, s.URL, keyed)
	return err
}
