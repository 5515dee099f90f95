// Package queue hands the jobs of batches to workers on other machines and collects their results, through NATS JetStream.
// It is the client alone: package fleet has the server, and any other JetStream server from version 2.11 serves as well.
//
//   - queue.go: the connection, and the streams that hold plans, jobs and results
//   - send.go: what the program that wants the results does
//   - work.go: what a worker does
//
// A job is a message until its result is stored. A worker first looks whether a result is there, then plays, then stores
// the result on the condition that none is there, and only then removes the job. When a worker or a server dies, a job may
// be played twice; it is never lost, and only its first result is stored.
package queue

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/pflag"

	"touchline/internal/batch"
)

// Streams and subjects. A job's subject names the program that can play it, so that a worker gets no other.
const (
	plansStream   = "TOUCHLINE_PLANS"   // touchline.plans.BATCH
	jobsStream    = "TOUCHLINE_JOBS"    // touchline.jobs.PROGRAM.BATCH.ID
	resultsStream = "TOUCHLINE_RESULTS" // touchline.results.BATCH.ID

	plansSubject   = "touchline.plans."
	jobsSubject    = "touchline.jobs."
	resultsSubject = "touchline.results."
	workersSubject = "touchline.workers" // reports of workers, which no stream keeps
)

const (
	answerTime = 2 * time.Second        // for one request: a server that died answers none that it has
	retryTime  = 250 * time.Millisecond // between two tries
)

// Local is where touchline-fleet up listens by default.
const Local = "nats://127.0.0.1:4222"

// ErrNoServer is the error of Connect when nobody answers.
var ErrNoServer = errors.New("no server answers")

// Address is where a queue is, and how this program proves that it may use it.
type Address struct {
	URL         string // nats://HOST:PORT, or tls://; several with commas between them
	Credentials string // file of a user's key (nkey seed), or credentials of an account (.creds); "": none
	CA          string // file of the certificates that sign the server's; "": those of the system
}

// Queue is a connection to the servers. It reconnects by itself, for ever.
type Queue struct {
	conn *nats.Conn
	js   jetstream.JetStream
}

// Dial connects to one of the servers. name tells the servers who this is. The error names what is missing.
func Dial(a Address, name string) (*nats.Conn, error) {
	options, err := a.options()
	if err != nil {
		return nil, err
	}
	conn, err := nats.Connect(a.URL, append(options, nats.Name(name))...)
	if err != nil {
		return nil, a.explain(err)
	}
	return conn, nil
}

// Connect connects to one of the servers as Dial does.
func Connect(a Address, name string) (*Queue, error) {
	conn, err := Dial(a, name)
	if err != nil {
		return nil, err
	}
	q, err := Use(conn)
	if err != nil {
		conn.Close()
	}
	return q, err
}

// Use makes a queue of a connection.
func Use(conn *nats.Conn) (*Queue, error) {
	js, err := jetstream.New(conn, jetstream.WithPublishAsyncMaxPending(2*sendAtATime),
		jetstream.WithPublishAsyncTimeout(answerTime), jetstream.WithDefaultTimeout(answerTime))
	return &Queue{conn, js}, err
}

// Close ends the connection.
func (q *Queue) Close() { q.conn.Close() }

// closed returns why nothing can be asked any more: ctx ended, or the servers refused this program when it came back.
func (q *Queue) closed(ctx context.Context) error {
	if ctx.Err() == nil && q.conn.IsClosed() {
		return fmt.Errorf("the servers closed the connection: %w", q.conn.LastError())
	}
	return ctx.Err()
}

// AddFlags adds the flags of an address. url is the default.
func (a *Address) AddFlags(set *pflag.FlagSet, url string) {
	set.StringVar(&a.URL, "nats", url, "NATS servers that hand out the matches, for example "+Local+"; separate several with commas")
	set.StringVar(&a.Credentials, "credentials", "", "key file written by touchline-fleet up, or NATS credentials (.creds)")
	set.StringVar(&a.CA, "ca", "", "PEM file of the certificate authority of the servers (default: the system's)")
}

// options returns how to connect.
func (a Address) options() ([]nats.Option, error) {
	for u := range strings.SplitSeq(a.URL, ",") {
		parsed, err := url.Parse(u)
		if err != nil || parsed.Host == "" || parsed.Scheme != "nats" && parsed.Scheme != "tls" {
			return nil, fmt.Errorf("%.100q is not the address of a NATS server: want nats://HOST:PORT, for example %s", u, Local)
		}
	}
	options := []nats.Option{nats.MaxReconnects(-1), nats.ReconnectWait(retryTime), nats.PingInterval(5 * time.Second),
		nats.MaxPingsOutstanding(2), nats.Timeout(5 * time.Second)}
	if a.CA != "" {
		pem, err := os.ReadFile(a.CA)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate: want a PEM file", a.CA)
		}
		options = append(options, nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}))
	}
	if a.Credentials == "" {
		return options, nil
	}
	b, err := os.ReadFile(a.Credentials)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(b, []byte("BEGIN NATS USER JWT")) {
		return append(options, nats.UserCredentials(a.Credentials)), nil
	}
	key, err := nats.NkeyOptionFromSeed(a.Credentials)
	if err != nil {
		return nil, fmt.Errorf("%s holds neither a user key nor account credentials: %w", a.Credentials, err)
	}
	return append(options, key), nil
}

// explain tells what an error of the connection means.
func (a Address) explain(err error) error {
	var dial *net.OpError
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired):
		if a.Credentials == "" {
			return fmt.Errorf("%s requires a key: pass the key file with --credentials", a.URL)
		}
		return fmt.Errorf("%s does not know the key in %s: copy the file from the machine that runs touchline-fleet up", a.URL,
			a.Credentials)
	case errors.As(err, &untrusted):
		return fmt.Errorf("%s presents a certificate that this machine does not trust: pass the certificate that signed it "+
			"with --ca: %w", a.URL, err)
	case errors.Is(err, nats.ErrNoServers) || errors.As(err, &dial):
		return fmt.Errorf("%w at %s: start one with touchline-fleet up, or name another one with --nats", ErrNoServer, a.URL)
	}
	return fmt.Errorf("%s: %w", a.URL, err)
}

// Prepare creates the streams, and waits until the servers can do that. replicas is how many servers keep each message; 0
// is three in a cluster, and one on a single server. Streams that are there stay as they are. The servers' own limit bounds
// their bytes.
func (q *Queue) Prepare(ctx context.Context, replicas int) error {
	if replicas == 0 {
		replicas = 1
		if q.conn.ConnectedClusterName() != "" {
			replicas = 3
		}
	}
	for _, c := range []jetstream.StreamConfig{
		{Name: plansStream, Subjects: []string{plansSubject + "*"}, MaxMsgsPerSubject: 1,
			Description: "plans of touchline's batches"},
		{Name: jobsStream, Subjects: []string{jobsSubject + "*.*.*"}, MaxMsgsPerSubject: 1,
			Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
			Description: "matches without a result"},
		{Name: resultsStream, Subjects: []string{resultsSubject + "*.*"}, MaxMsgsPerSubject: 1,
			MaxMsgSize: batch.MaxResult, Discard: jetstream.DiscardNew, Description: "results of matches"},
	} {
		c.Storage, c.Replicas, c.AllowDirect = jetstream.FileStorage, replicas, true
		if err := q.create(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// create creates a stream that is not there.
func (q *Queue) create(ctx context.Context, c jetstream.StreamConfig) error {
	for {
		_, err := q.js.Stream(ctx, c.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			_, err = q.js.CreateStream(ctx, c)
		}
		var refused *jetstream.APIError
		switch {
		case err == nil || errors.Is(err, jetstream.ErrStreamNameAlreadyInUse):
			return nil
		case errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
			return errors.New("the server does not store messages: start it with JetStream, or use touchline-fleet up")
		case full(err):
			return fmt.Errorf("the servers have no room for the stream %s: %w", c.Name, err)
		case errors.As(err, &refused) && refused.Code >= 400 && refused.Code < 500:
			return fmt.Errorf("the server refuses to create the stream %s: %s", c.Name, refused.Description)
		}
		if !Pause(ctx, retryTime) {
			return fmt.Errorf("the servers are not ready: %w", errors.Join(context.Cause(ctx), err))
		}
	}
}

// Pause waits, and reports false when ctx ends first.
func Pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// programKey returns the name of a program in subjects and consumers.
func programKey(p batch.Program) string {
	sum := sha256.Sum256([]byte(p.String()))
	return hex.EncodeToString(sum[:6])
}

// BatchKey returns the name of a plan in subjects: a hash of its file.
func BatchKey(p *batch.Plan) string {
	sum := sha256.Sum256(p.Text())
	return hex.EncodeToString(sum[:8])
}

// consumerConfig is the one consumer of the jobs that a program can play. Its name and limits never change: another
// configuration of a consumer that is there would be refused.
func consumerConfig(key string) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable: "workers-" + key, FilterSubject: jobsSubject + key + ".*.*", AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: ackWait, MaxDeliver: -1, MaxAckPending: 65536, MaxWaiting: 16384,
		Description: "hands each job to one worker",
	}
}
