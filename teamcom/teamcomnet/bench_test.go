package teamcomnet_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"io"
	"math/big"
	"net"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/wire/tcm"
)

const (
	bulkSize   = 1_000_000 // bytes of a message
	bulkFlight = 4         // messages that may be under way: half of what a receiver keeps of one sender
	bulkRound  = 64        // messages of one op
)

// unlimited sends as fast as the sockets accept.
func unlimited(c *teamcomnet.Config) {
	c.Node.Budget[tcm.Bulk] = teamcom.Unlimited
}

// bulkTCM is one link between two endpoints.
type bulkTCM struct {
	sender   *teamcomnet.Endpoint
	client   *teamcom.Client
	receiver *teamcomnet.Endpoint
	arrived  chan struct{}
}

func openBulkTCM(b testing.TB) *bulkTCM {
	path := localIni(b, "")
	l := &bulkTCM{sender: open(b, path, robot1, unlimited), receiver: open(b, path, robot2, nil), arrived: make(chan struct{}, bulkFlight)}
	l.client = l.sender.Module(tcm.GM).Client()
	teamcom.HandleBytes(l.receiver.Module(tcm.GM), ownType, func(_ teamcom.From, m []byte) {
		if len(m) == bulkSize {
			l.arrived <- struct{}{}
		}
	})
	run(b, l.sender, l.receiver)
	return l
}

// transfer moves n messages and returns the number of those that were lost.
func (l *bulkTCM) transfer(b testing.TB, message []byte, n int) (lost int) {
	flying := 0
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	wait := func() {
		timer.Reset(2 * time.Second)
		select {
		case <-l.arrived:
		case <-timer.C:
			lost++
		}
		flying--
	}
	for range n {
		if flying == bulkFlight {
			wait()
		}
		if err := l.client.SendBytes(l.sender.Now(), robot2, ownType, message); err != nil {
			b.Fatal(err)
		}
		flying++
	}
	for flying > 0 {
		wait()
	}
	return lost
}

// datagrams returns the number of bulk datagrams that left so far.
func (l *bulkTCM) datagrams() (n uint64) {
	for _, q := range l.sender.Report(l.sender.Now()).Queues {
		if q.Socket == tcm.Bulk.String() {
			n = q.Datagrams
		}
	}
	return n
}

// A link in steady state does not allocate for its datagrams, from Send to the handler.
func TestBulkAllocates(t *testing.T) {
	message := make([]byte, bulkSize)
	l := openBulkTCM(t)
	l.transfer(t, message, 10)
	var before, after runtime.MemStats
	datagrams := l.datagrams()
	runtime.ReadMemStats(&before)
	lost := l.transfer(t, message, 20)
	runtime.ReadMemStats(&after)
	datagrams = l.datagrams() - datagrams
	allocs := after.Mallocs - before.Mallocs
	if datagrams < 20*bulkSize/tcm.PieceSize || allocs > datagrams/50 { // the runtime and the test itself allocate, too
		t.Errorf("%d allocations for %d datagrams, %d messages lost, want none", allocs, datagrams, lost)
	}
}

// bulkStream is a stream to a peer that reads messages with their length and reports each.
type bulkStream struct {
	w       io.Writer
	arrived chan struct{}
	header  [4]byte
}

// serve reads messages until the stream ends.
func (s *bulkStream) serve(r io.Reader) {
	message := make([]byte, bulkSize)
	var header [4]byte
	for {
		if _, err := io.ReadFull(r, header[:]); err != nil {
			return
		}
		if _, err := io.ReadFull(r, message[:binary.LittleEndian.Uint32(header[:])]); err != nil {
			return
		}
		s.arrived <- struct{}{}
	}
}

func (s *bulkStream) transfer(b *testing.B, message []byte, n int) {
	flying := 0
	for range n {
		if flying == bulkFlight {
			<-s.arrived
			flying--
		}
		binary.LittleEndian.PutUint32(s.header[:], uint32(len(message)))
		if _, err := s.w.Write(s.header[:]); err != nil {
			b.Fatal(err)
		}
		if _, err := s.w.Write(message); err != nil {
			b.Fatal(err)
		}
		flying++
	}
	for ; flying > 0; flying-- {
		<-s.arrived
	}
}

func openBulkTCP(b *testing.B) *bulkStream {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { listener.Close() })
	s := &bulkStream{arrived: make(chan struct{}, bulkFlight)}
	go func() {
		if conn, err := listener.Accept(); err == nil {
			s.serve(conn)
			conn.Close()
		}
	}()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	s.w = conn
	return s
}

// openBulkQUIC returns a QUIC stream, with the encryption that QUIC cannot do without.
func openBulkQUIC(b *testing.B) *bulkStream {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		b.Fatal(err)
	}
	const protocol = "bulk"
	listener, err := quic.ListenAddr("127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}, NextProtos: []string{protocol},
	}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { listener.Close() })
	s := &bulkStream{arrived: make(chan struct{}, bulkFlight)}
	go func() {
		conn, err := listener.Accept(context.Background())
		if err != nil {
			return
		}
		if stream, err := conn.AcceptStream(context.Background()); err == nil {
			s.serve(stream)
		}
	}()
	conn, err := quic.DialAddr(b.Context(), listener.Addr().String(),
		&tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.CloseWithError(0, "") })
	stream, err := conn.OpenStreamSync(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	s.w = stream
	return s
}

// BenchmarkBulk moves the same messages of 1 MB over loopback by the TCM, by TCP and by QUIC, in turn; one op is 64 MB
// by each. At most 4 messages are under way. Lost counts messages of the TCM.
func BenchmarkBulk(b *testing.B) {
	message := bytes.Repeat([]byte("touchline!"), bulkSize/10)
	ours, tcp, quic := openBulkTCM(b), openBulkTCP(b), openBulkQUIC(b)
	lost := ours.transfer(b, message, bulkRound) // warms all three up
	tcp.transfer(b, message, bulkRound)
	quic.transfer(b, message, bulkRound)
	var times [3]time.Duration
	var before, after runtime.MemStats
	var allocs, datagrams uint64
	for b.Loop() {
		runtime.ReadMemStats(&before)
		sent, start := ours.datagrams(), time.Now()
		lost += ours.transfer(b, message, bulkRound)
		times[0] += time.Since(start)
		runtime.ReadMemStats(&after)
		allocs += after.Mallocs - before.Mallocs
		datagrams += ours.datagrams() - sent
		start = time.Now()
		tcp.transfer(b, message, bulkRound)
		times[1] += time.Since(start)
		start = time.Now()
		quic.transfer(b, message, bulkRound)
		times[2] += time.Since(start)
	}
	rate := func(i int) float64 { return float64(b.N) * bulkRound * bulkSize / 1e6 / times[i].Seconds() }
	b.ReportMetric(0, "ns/op") // the sum of three protocols means nothing
	b.ReportMetric(rate(0), "TCM-MB/s")
	b.ReportMetric(rate(1), "TCP-MB/s")
	b.ReportMetric(rate(2), "QUIC-MB/s")
	b.ReportMetric(rate(0)/rate(1), "TCM/TCP")
	b.ReportMetric(rate(0)/rate(2), "TCM/QUIC")
	b.ReportMetric(float64(lost), "lost")
	b.ReportMetric(float64(allocs)/float64(datagrams), "allocs/datagram")
}

// BenchmarkLatency measures the time from Send at one robot to the handler at another: with an idle bulk class, with one
// that always has more to send than its budget allows, of 2 MB/s and of 100 MB/s. One op is one belief; the bulk class
// sends from the same endpoint to the same robot.
func BenchmarkLatency(b *testing.B) {
	for _, c := range []struct {
		name   string
		bulk   bool
		budget int
	}{{"idle", false, 2_000_000}, {"bulk=2MB/s", true, 2_000_000}, {"bulk=100MB/s", true, 100_000_000}} {
		b.Run(c.name, func(b *testing.B) {
			path := localIni(b, "")
			sender := open(b, path, robot1, func(cfg *teamcomnet.Config) { cfg.Node.Budget[tcm.Bulk] = c.budget })
			receiver := open(b, path, robot2, nil)
			arrived := make(chan time.Duration, 1)
			teamcom.HandleBytes(receiver.Module(tcm.GM), tcm.Belief, func(_ teamcom.From, m []byte) {
				sent := soccer.Time(binary.LittleEndian.Uint64(m))
				arrived <- sender.Now().Sub(sent)
			})
			teamcom.HandleBytes(receiver.Module(tcm.Manager), ownType, func(teamcom.From, []byte) {})
			run(b, sender, receiver)
			if c.bulk {
				saturate(b, sender)
			}
			measureLatency(b, sender, arrived)
		})
	}
}

// saturate keeps the bulk queue of an endpoint full until the benchmark ends.
func saturate(b *testing.B, e *teamcomnet.Endpoint) {
	message := make([]byte, 100_000)
	client := e.Module(tcm.Manager).Client()
	for range 20 {
		if err := client.SendBytes(e.Now(), robot2, ownType, message); err != nil {
			b.Fatal(err)
		}
	}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			for _, waiting := e.Waiting(tcm.Bulk); waiting < 2_000_000; waiting += len(message) {
				_ = client.SendBytes(e.Now(), robot2, ownType, message) // a full queue is what this wants
			}
		}
	}()
	b.Cleanup(func() { close(stop); <-ended })
}

// measureLatency sends a belief every 5 ms.
func measureLatency(b *testing.B, sender *teamcomnet.Endpoint, arrived <-chan time.Duration) {
	client := sender.Module(tcm.GM).Client()
	var times []time.Duration
	lost := 0
	belief := make([]byte, 200)
	for b.Loop() {
		now := sender.Now()
		binary.LittleEndian.PutUint64(belief, uint64(now))
		if err := client.SendBytes(now, robot2, tcm.Belief, belief); err != nil {
			b.Fatal(err)
		}
		select {
		case d := <-arrived:
			times = append(times, d)
		case <-time.After(time.Second):
			lost++
		}
		time.Sleep(5 * time.Millisecond)
	}
	if len(times) == 0 {
		return
	}
	slices.Sort(times)
	at := func(share float64) float64 {
		return times[min(int(share*float64(len(times))), len(times)-1)].Seconds() * 1000
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(at(0.5), "ms-median")
	b.ReportMetric(at(0.99), "ms-p99")
	b.ReportMetric(at(1), "ms-max")
	b.ReportMetric(float64(lost), "lost")
}
