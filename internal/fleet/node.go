// Package fleet is the server side of batches on many machines: an embedded NATS server that keeps plans, jobs and results.
// It is apart from the client in internal/batch/queue, so that touchline itself stays without a server.
package fleet

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"touchline/internal/batch/queue"
)

// RoutePort is the distance from a node's port for programs to its port for the other nodes: 4222 and 6222, as of NATS.
const RoutePort = 2000

// maxMessage is the largest message that a node accepts, in bytes: a plan of many state machines.
const maxMessage = 8 << 20

// Config is how a node runs.
type Config struct {
	Listen   netip.AddrPort   // for programs; port 0 chooses one
	Nodes    []netip.AddrPort // all nodes of a cluster, this one too; none: a single server
	Dir      string           // for its messages
	Key      string           // file of the key that programs and nodes need; "": none is needed
	Cert     string           // file of a certificate for TLS; "": no TLS
	CertKey  string           // file of its key
	MaxStore int64            // bytes on the disk; 0: three quarters of what is free
	Log      *slog.Logger     // errors and warnings of the server
}

// Node is a running server.
type Node struct {
	server *server.Server
	host   netip.Addr
	nodes  int
}

// Start starts a node. The error names the port that is taken, the folder that another node uses, or the missing key.
func Start(c Config) (*Node, error) {
	o, err := c.options()
	if err != nil {
		return nil, err
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, err
	}
	log := &serverLog{log: c.Log, fatal: make(chan string, 1)}
	s.SetLoggerV2(log, false, false, false)
	go s.Start() // it returns when the node is ready, or never after a fatal error
	for range 300 {
		if s.ReadyForConnections(100 * time.Millisecond) {
			return &Node{s, c.Listen.Addr(), max(1, len(c.Nodes))}, nil
		}
		select {
		case text := <-log.fatal:
			s.Shutdown()
			return nil, fmt.Errorf("the node does not start: %s", text)
		default:
		}
	}
	s.Shutdown()
	return nil, fmt.Errorf("the node is not ready after 30 s: look whether another program uses %v or %s", c.Listen, c.Dir)
}

// options returns the configuration of the server.
func (c Config) options() (*server.Options, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, err
	}
	o := &server.Options{
		ServerName: "touchline-" + c.Listen.String(), Host: c.Listen.Addr().String(), Port: int(c.Listen.Port()), NoSigs: true,
		JetStream: true, StoreDir: c.Dir, SyncAlways: true, JetStreamMaxStore: c.MaxStore, MaxPayload: maxMessage,
		DisableJetStreamBanner: true, NoSystemAccount: false,
	}
	if c.Listen.Port() == 0 {
		o.Port = server.RANDOM_PORT
	}
	if c.Cert != "" {
		pair, err := tls.LoadX509KeyPair(c.Cert, c.CertKey)
		if err != nil {
			return nil, fmt.Errorf("the certificate: %w", err)
		}
		o.TLS, o.TLSConfig, o.TLSTimeout = true, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, 5
	}
	var secret string
	if c.Key != "" {
		seed, err := os.ReadFile(c.Key)
		if err != nil {
			return nil, err
		}
		public, err := publicKey(seed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Key, err)
		}
		o.Nkeys = []*server.NkeyUser{{Nkey: public}}
		sum := hmac.New(sha256.New, seed)
		sum.Write([]byte("touchline nodes"))
		secret = hex.EncodeToString(sum.Sum(nil))
	}
	if len(c.Nodes) > 0 {
		c.join(o, secret)
	}
	return o, nil
}

// join makes the server one of a cluster.
func (c Config) join(o *server.Options, secret string) {
	o.Cluster = server.ClusterOpts{
		Name: "touchline", Host: c.Listen.Addr().String(), Port: int(c.Listen.Port()) + RoutePort, NoAdvertise: true, ConnectRetries: 1 << 30,
	}
	var user *url.Userinfo
	if secret != "" {
		o.Cluster.Username, o.Cluster.Password = "touchline", secret
		user = url.UserPassword("touchline", secret)
	}
	for _, n := range c.Nodes {
		if n != c.Listen {
			o.Routes = append(o.Routes, &url.URL{Scheme: "nats", User: user,
				Host: netip.AddrPortFrom(n.Addr(), n.Port()+RoutePort).String()})
		}
	}
	if o.TLSConfig != nil {
		o.Cluster.TLSConfig = o.TLSConfig.Clone()
	}
}

func (c Config) check() error {
	beyond := !c.Listen.Addr().IsLoopback()
	for _, n := range c.Nodes {
		beyond = beyond || !n.Addr().IsLoopback()
		if n.Port() == 0 || n.Port() > 65535-RoutePort {
			return fmt.Errorf("node %v: want a port from 1 to %d", n, 65535-RoutePort)
		}
	}
	switch {
	case beyond && c.Key == "":
		return fmt.Errorf("%v can be reached from other machines, and without a key anybody could use it: give a file for the key", c.Listen)
	case (c.Cert == "") != (c.CertKey == ""):
		return errors.New("a certificate needs its key, and a key its certificate: give both files")
	case len(c.Nodes) == 0:
		return nil
	case len(c.Nodes) < 3:
		return fmt.Errorf("%d nodes keep no more than one: of two, the death of either stops both; want at least three", len(c.Nodes))
	}
	for _, n := range c.Nodes {
		if n == c.Listen {
			return nil
		}
	}
	return fmt.Errorf("this node listens at %v, which is none of the nodes: give all of them, this one too", c.Listen)
}

// URL returns the address for programs on this machine.
func (n *Node) URL() string {
	scheme := "nats"
	if n.server.ClientURL()[:3] == "tls" {
		scheme = "tls"
	}
	host, port, err := net.SplitHostPort(n.server.Addr().String())
	if err != nil {
		panic(err) // an address of a listener
	}
	if n.host.IsUnspecified() {
		host = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// Queue returns a queue inside the node, without a socket. key is the file of Config.
func (n *Node) Queue(key string) (*queue.Queue, error) {
	options := []nats.Option{nats.InProcessServer(n.server), nats.MaxReconnects(-1)}
	if key != "" {
		o, err := nats.NkeyOptionFromSeed(key)
		if err != nil {
			return nil, err
		}
		options = append(options, o)
	}
	conn, err := nats.Connect("", options...)
	if err != nil {
		return nil, err
	}
	return queue.Use(conn)
}

// Replicas returns how many nodes keep each message.
func (n *Node) Replicas() int { return min(3, n.nodes) }

// Stop ends the node.
func (n *Node) Stop() {
	n.server.Shutdown()
	n.server.WaitForShutdown()
}

// MakeKey writes a new key into a file that only its owner can read, unless the file is there.
func MakeKey(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	pair, err := nkeys.CreateUser()
	if err != nil {
		return err
	}
	seed, err := pair.Seed()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, append(seed, '\n'), 0o600)
}

// publicKey returns the public half of a key.
func publicKey(seed []byte) (string, error) {
	pair, err := nkeys.ParseDecoratedUserNKey(seed)
	if err != nil {
		return "", errors.New("it is no key of a user: remove it to make a new one, or copy that of another node")
	}
	return pair.PublicKey()
}

// serverLog passes on what the server says.
type serverLog struct {
	log   *slog.Logger
	fatal chan string
}

func (l *serverLog) Noticef(string, ...any)         {}
func (l *serverLog) Warnf(format string, v ...any)  { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l *serverLog) Errorf(format string, v ...any) { l.log.Warn(fmt.Sprintf(format, v...)) }
func (l *serverLog) Debugf(string, ...any)          {}
func (l *serverLog) Tracef(string, ...any)          {}

// Fatalf hands the error over to Start: the server would end the process.
func (l *serverLog) Fatalf(format string, v ...any) {
	select {
	case l.fatal <- fmt.Sprintf(format, v...):
	default:
	}
}
