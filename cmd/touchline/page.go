package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"touchline/monitor"
	"touchline/soccer"
	"touchline/transport"
	"touchline/watch"
)

// defaultHTTP is where the page is when nothing else is said; when it is taken, any free port will do.
const defaultHTTP = "127.0.0.1:8014"

// pageFlags say where the page is served.
type pageFlags struct{ http string }

func (p *pageFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&p.http, "http", "", "address of the page (default "+defaultHTTP+", or a free port when it is taken)")
}

// fields are the names of --field.
var fields = map[string]func() soccer.Field{"18x12": soccer.MSL18x12, "22x14": soccer.MSL22x14}

// fieldFlag is the field that is drawn and played on.
type fieldFlag struct{ name string }

func (f *fieldFlag) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.name, "field", "18x12", "MSL field in m: 18x12 or 22x14")
}

func (f *fieldFlag) field() (soccer.Field, error) {
	preset, ok := fields[f.name]
	if !ok {
		return soccer.Field{}, exitError{2, fmt.Errorf("--field %s: there are 18x12 and 22x14", f.name)}
	}
	return preset(), nil
}

// matchPages are the pages of a referee box; the first is for everybody.
var matchPages = []string{"scoreboard", "referee", "teams", "log"}

// page is the web page and the socket that it is served on.
type page struct {
	server   *monitor.Server
	listener net.Listener
	url      string
}

// open opens the page's socket; by which names the page may be called is filled in.
func (p *pageFlags) open(cfg monitor.Config) (*page, error) {
	address := p.http
	if address == "" {
		address = defaultHTTP
	}
	if _, port, err := net.SplitHostPort(address); err != nil {
		return nil, exitError{2, fmt.Errorf("--http %s: want an address and a port, for example %s", address, defaultHTTP)}
	} else if _, err := net.LookupPort("tcp", port); err != nil {
		return nil, exitError{2, fmt.Errorf("--http %s: %q is no port", address, port)}
	}
	l, err := net.Listen("tcp", address)
	if err != nil && p.http == "" {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("the page cannot be served on %s: %w; give another address with --http", address, err)
	}
	host, _, _ := net.SplitHostPort(address) // Listen took it
	cfg.Hosts = hosts(host, l.Addr().(*net.TCPAddr))
	return &page{monitor.New(cfg), l, pageURL(host, l.Addr().(*net.TCPAddr))}, nil
}

// commanded returns the configuration of a server with these pages, whose commands have no answer and need no token.
func commanded(command func(context.Context, string, json.RawMessage) error, pages ...string) monitor.Config {
	cfg := monitor.DefaultConfig()
	cfg.Pages = pages
	cfg.Command = func(r monitor.Request) (any, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		return nil, command(ctx, r.Name, r.Body)
	}
	return cfg
}

// pageURL returns what to type into a browser on this machine.
func pageURL(host string, at *net.TCPAddr) string {
	if at.IP.IsUnspecified() {
		host = "localhost"
	} else if host == "" {
		host = at.IP.String()
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(at.Port)) + "/"
}

// hosts returns by which names the page may be called besides loopback: the name that the user gave and its address, or
// all of this machine's addresses when that was every interface.
func hosts(host string, at *net.TCPAddr) []string {
	if !at.IP.IsUnspecified() {
		return []string{host, at.IP.String()}
	}
	var names []string
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	for _, p := range transport.Prefixes() { // without them the page is there by localhost still
		names = append(names, p.Addr().String())
	}
	return names
}

// serve serves the page until the context ends.
func (p *page) serve(ctx context.Context) error {
	server := &http.Server{Handler: p.server, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	stop := context.AfterFunc(ctx, func() {
		p.server.Close()
		server.Close()
	})
	defer stop()
	if err := server.Serve(p.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("the page ended: %w", err)
	}
	return nil
}

// topic is a value that pages can watch.
type topic struct {
	name     string // a name that ends in "/" stands for every topic with that prefix
	period   time.Duration
	snapshot func(topic string) any
}

// publish publishes topics until ctx ends, in goroutines of group.
func (p *page) publish(ctx context.Context, group *errgroup.Group, topics ...topic) {
	for _, t := range topics {
		group.Go(func() error { return p.server.Every(ctx, t.name, t.period, t.snapshot) })
	}
}

// wallTopics returns the topics of the pages wall and network.
func wallTopics(source interface {
	Wall(string) any
	Network(string) any
	Packets(string) any
}) []topic {
	return []topic{
		{"wall", watch.WallPeriod, source.Wall},
		{"network", watch.NetworkPeriod, source.Network},
		{"packets/", watch.PacketsPeriod, source.Packets},
	}
}
