package fleet_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/internal/batch/queue"
	"touchline/internal/fleet"
	"touchline/wire/wiretest"
)

var local = netip.MustParseAddrPort("127.0.0.1:0")

// start starts a single node and prepares its streams.
func start(t *testing.T, c fleet.Config) *fleet.Node {
	t.Helper()
	c.Listen, c.Log = local, slog.New(slog.DiscardHandler)
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	node, err := fleet.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Stop)
	q, err := node.Queue(c.Key)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if err := q.Prepare(t.Context(), node.Replicas()); err != nil {
		t.Fatal(err)
	}
	return node
}

func connect(t *testing.T, at queue.Address) *queue.Queue {
	t.Helper()
	q, err := queue.Connect(at, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

// serve runs a worker until the test ends, and returns what it noted.
func serve(t *testing.T, q *queue.Queue, program batch.Program, play func(context.Context, *batch.Plan, *batch.Job) (batch.Result, bool)) func() string {
	t.Helper()
	var lock sync.Mutex
	var notes []string
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = q.Serve(ctx, queue.Work{Program: program, Name: "worker", Cores: 2, Play: play, Done: func(queue.Worker, *batch.Result) {},
			Note: func(text string) {
				lock.Lock()
				defer lock.Unlock()
				notes = append(notes, text)
			}})
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return func() string {
		lock.Lock()
		defer lock.Unlock()
		return strings.Join(notes, "\n")
	}
}

// collect collects all results of a plan.
func collect(t *testing.T, q *queue.Queue, plan *batch.Plan, patience time.Duration) (results map[string]*batch.Result, notes string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	results = map[string]*batch.Result{}
	var lock sync.Mutex
	err := q.Play(ctx, plan, batch.Each(plan.Jobs()), queue.Events{Patience: patience,
		Result: func(job *batch.Job, r *batch.Result) error {
			if results[job.ID] != nil {
				t.Errorf("job %s has two results", job.ID)
			}
			results[job.ID] = r
			return nil
		}, Note: func(text string) {
			lock.Lock()
			defer lock.Unlock()
			notes += text + "\n"
		}})
	if err != nil || len(results) != len(plan.Jobs()) {
		t.Fatalf("%d results, %v; %s", len(results), err, notes)
	}
	return results, notes
}

// Matches that workers play have the results of matches that this program plays, and a second batch run finds them.
func TestMatches(t *testing.T) {
	if testing.Short() {
		t.Skip("each match runs on one goroutine; the race detector makes it ten times slower")
	}
	node, plan := start(t, fleet.Config{}), newPlan(t, 6)
	q := connect(t, queue.Address{URL: node.URL()})
	serve(t, connect(t, queue.Address{URL: node.URL()}), testProgram, batchnet.Play)
	results, _ := collect(t, q, plan, 0)
	for _, job := range plan.Jobs() {
		want, _ := plan.Play(&job, func() bool { return false }, nil)
		got := *results[job.ID]
		want.Cost, got.Cost = 0, 0
		if string(got.Text()) != string(want.Text()) {
			t.Errorf("the worker's result is %s, want %s", got.Text(), want.Text())
		}
	}
	again, _ := collect(t, q, plan, 0)
	if len(again) != 6 {
		t.Errorf("%d results the second time", len(again))
	}
	stored, err := q.Batches(t.Context())
	if err != nil || len(stored) != 1 || stored[0].Results != 6 || stored[0].Waiting != 0 || stored[0].Name != plan.Matrix.Name {
		t.Fatalf("stored: %+v, %v", stored, err)
	}
	if err := q.Remove(t.Context(), stored[0].Key); err != nil {
		t.Fatal(err)
	}
	if stored, err := q.Batches(t.Context()); err != nil || len(stored) != 0 {
		t.Errorf("after the removal: %+v, %v", stored, err)
	}
}

// A worker of another program gets no job, and the driver says what is missing.
func TestOtherProgram(t *testing.T) {
	node, plan := start(t, fleet.Config{}), newPlan(t, 2)
	serve(t, connect(t, queue.Address{URL: node.URL()}), batch.Program{Version: "other", Behaviour: "1"}, trivial)
	q := connect(t, queue.Address{URL: node.URL()})
	ctx, cancel := context.WithCancel(t.Context())
	notes := make(chan string, 10)
	ended := make(chan error)
	go func() {
		ended <- q.Play(ctx, plan, batch.Each(plan.Jobs()), queue.Events{Patience: time.Second, Note: func(text string) {
			select {
			case notes <- text:
			default:
			}
		}})
	}()
	for _, want := range []string{`worker "worker" has touchline "other, behaviour 1"`, "no worker of touchline test"} {
		for !strings.Contains(<-notes, want) { // the second text comes each second
		}
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("it ended without an error")
	}
}

// A worker runs no command that comes through a queue: it sets such jobs aside.
func TestPrograms(t *testing.T) {
	m := batch.DefaultMatrix()
	m.Teams, m.Half, m.Seeds = []string{"still", "program:touch forged"}, time.Second, 1
	plan, err := batchnet.NewPlan(m, testProgram, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	node := start(t, fleet.Config{})
	noted := serve(t, connect(t, queue.Address{URL: node.URL()}), testProgram,
		func(context.Context, *batch.Plan, *batch.Job) (batch.Result, bool) {
			t.Error("the worker plays a match with a program")
			return batch.Result{}, false
		})
	q := connect(t, queue.Address{URL: node.URL()})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- q.Play(ctx, plan, batch.Each(plan.Jobs()), queue.Events{Note: func(string) {}, Result: func(*batch.Job, *batch.Result) error {
			return errors.New("a match with a program has a result")
		}})
	}()
	wiretest.Eventually(t, "the worker refuses", func() bool { return strings.Contains(noted(), "a worker does not run other people's commands") })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Jobs and results that other programs put into the streams block nothing: each is told, thrown away, and its match played.
func TestHostile(t *testing.T) {
	node, plan := start(t, fleet.Config{}), newPlan(t, 20)
	jobs := plan.Jobs()
	conn, err := nats.Connect(node.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	put := func(subject string, data []byte) {
		t.Helper()
		if _, err := js.Publish(t.Context(), subject, data); err != nil {
			t.Fatalf("%s: %v", subject, err)
		}
	}
	q := connect(t, queue.Address{URL: node.URL()})
	key := queue.BatchKey(plan)
	r := plan.Failed(&jobs[1], "")
	put("touchline.results."+key+"."+jobs[0].ID, []byte("no result"))
	put("touchline.results."+key+"."+jobs[2].ID, r.Text()) // that of another job
	put("touchline.results."+key+"."+strings.Repeat("0", 32), r.Text())
	put("touchline.plans.1234", []byte("no plan"))
	program := ""
	{ // the subject of this program's jobs
		c, err := js.Stream(t.Context(), "TOUCHLINE_JOBS")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		sent := make(chan error)
		go func() { sent <- q.Play(ctx, plan, batch.Each(jobs[5:6]), queue.Events{All: true}) }()
		for program == "" {
			m, err := c.GetMsg(t.Context(), 1)
			if err != nil {
				time.Sleep(10 * time.Millisecond)
				continue
			}
			program = strings.Split(m.Subject, ".")[2]
		}
		cancel()
		<-sent
	}
	put("touchline.jobs."+program+"."+key+"."+jobs[4].ID, []byte(`{"id":"`+jobs[4].ID+`"}`))
	put("touchline.jobs."+program+"."+key+".x", []byte("{"))
	put("touchline.jobs."+program+".1234."+jobs[3].ID, []byte("{}"))
	put("touchline.jobs."+program+".nowhere."+jobs[3].ID, []byte("{}"))
	noted := serve(t, connect(t, queue.Address{URL: node.URL()}), testProgram, trivial)
	results, notes := collect(t, q, plan, 2*time.Second)
	for id, r := range results {
		if r.Digest != "of "+id {
			t.Errorf("job %s has the result %+v", id, r)
		}
	}
	if strings.Count(notes, "a stored result is thrown away") != 2 {
		t.Errorf("the driver notes %q", notes)
	}
	if text := noted(); strings.Count(text, "a job is set aside") < 3 {
		t.Errorf("the worker notes %q", text)
	}
}

// A job that no worker ends is a failed match after ten deliveries.
func TestPoison(t *testing.T) {
	node, plan := start(t, fleet.Config{}), newPlan(t, 2)
	q := connect(t, queue.Address{URL: node.URL()})
	poison := plan.Jobs()[0].ID
	tries := make(chan struct{}, 100)
	play := func(ctx context.Context, plan *batch.Plan, job *batch.Job) (batch.Result, bool) {
		if job.ID != poison {
			return trivial(ctx, plan, job)
		}
		tries <- struct{}{}
		return batch.Result{}, false // as if the worker ended
	}
	serve(t, connect(t, queue.Address{URL: node.URL()}), testProgram, play)
	results, _ := collect(t, q, plan, 0)
	if text := results[poison].Trouble; !strings.Contains(text, "handed out 10 times") || len(tries) != 10 {
		t.Errorf("its trouble is %q after %d tries", text, len(tries))
	}
}

// Beyond this machine a node needs a key; whoever has none, or another one, is refused with the reason.
func TestKey(t *testing.T) {
	dir := t.TempDir()
	key, other := filepath.Join(dir, "a", "fleet.key"), filepath.Join(dir, "other.key")
	for _, path := range []string{key, other} {
		if err := fleet.MakeKey(path); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v, %v", info, err)
	}
	was, _ := os.ReadFile(key)
	if err := fleet.MakeKey(key); err != nil {
		t.Fatal(err)
	}
	if now, _ := os.ReadFile(key); string(now) != string(was) {
		t.Error("a key that is there was replaced")
	}
	node := start(t, fleet.Config{Key: key})
	connect(t, queue.Address{URL: node.URL(), Credentials: key})
	bad := filepath.Join(dir, "bad.key")
	if err := os.WriteFile(bad, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for credentials, want := range map[string]string{"": "pass the key file with --credentials", other: "does not know the key", bad: "holds neither"} {
		if _, err := queue.Connect(queue.Address{URL: node.URL(), Credentials: credentials}, "test"); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", credentials, err, want)
		}
	}
	if _, err := fleet.Start(fleet.Config{Listen: local, Dir: dir, Key: bad, Log: slog.New(slog.DiscardHandler)}); err == nil ||
		!strings.Contains(err.Error(), "no key of a user") {
		t.Errorf("a bad key: %v", err)
	}
	for name, c := range map[string]fleet.Config{
		"beyond this machine": {Listen: netip.MustParseAddrPort("192.0.2.1:4222")}, "every interface": {Listen: netip.MustParseAddrPort("0.0.0.0:0")},
		"a node beyond": {Listen: netip.MustParseAddrPort("127.0.0.1:4222"), Nodes: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:4222"),
			netip.MustParseAddrPort("192.0.2.1:4222"), netip.MustParseAddrPort("192.0.2.2:4222")}},
	} {
		c.Dir, c.Log = dir, slog.New(slog.DiscardHandler)
		if _, err := fleet.Start(c); err == nil || !strings.Contains(err.Error(), "without a key") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Bad configurations are refused with the reason.
func TestConfig(t *testing.T) {
	node := start(t, fleet.Config{})
	taken := netip.MustParseAddrPort(strings.TrimPrefix(node.URL(), "nats://"))
	at := func(texts ...string) (list []netip.AddrPort) {
		for _, text := range texts {
			list = append(list, netip.MustParseAddrPort(text))
		}
		return list
	}
	for want, c := range map[string]fleet.Config{
		"address already in use": {Listen: taken},
		"at least three":         {Listen: at("127.0.0.1:1")[0], Nodes: at("127.0.0.1:1", "127.0.0.1:2")},
		"none of the nodes":      {Listen: at("127.0.0.1:9")[0], Nodes: at("127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3")},
		"want a port":            {Listen: at("127.0.0.1:1")[0], Nodes: at("127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:64000")},
		"needs its key":          {Listen: local, Cert: "x.pem"},
	} {
		c.Dir, c.Log = t.TempDir(), slog.New(slog.DiscardHandler)
		if _, err := fleet.Start(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, url := range []string{"", "127.0.0.1:4222", "http://127.0.0.1:1", "nats://127.0.0.1:1,bad"} {
		if _, err := queue.Connect(queue.Address{URL: url}, "test"); err == nil || !strings.Contains(err.Error(), "is not the address") {
			t.Errorf("%q: %v", url, err)
		}
	}
	if _, err := queue.Connect(queue.Address{URL: "nats://127.0.0.1:1"}, "test"); err == nil || !strings.Contains(err.Error(), "no server answers") {
		t.Errorf("nobody there: %v", err)
	}
}

// With a certificate, programs connect by TLS, and only if they trust it.
func TestTLS(t *testing.T) {
	cert, key := certificate(t)
	node := start(t, fleet.Config{Cert: cert, CertKey: key})
	if !strings.HasPrefix(node.URL(), "tls://") {
		t.Errorf("the address is %s", node.URL())
	}
	q := connect(t, queue.Address{URL: node.URL(), CA: cert})
	if _, err := q.Batches(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := queue.Connect(queue.Address{URL: node.URL()}, "test"); err == nil || !strings.Contains(err.Error(), "--ca") {
		t.Errorf("without its certificate: %v", err)
	}
	if _, err := queue.Connect(queue.Address{URL: node.URL(), CA: key}, "test"); err == nil || !strings.Contains(err.Error(), "holds no certificate") {
		t.Errorf("with another file: %v", err)
	}
}

// certificate writes a certificate for 127.0.0.1, and its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: bytes}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}
