package teamcom_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

// note is a message of a team's own type: a text.
type note struct{ text string }

func (n *note) DataType() uint16                      { return uint16(tcm.FirstOwnType) }
func (n *note) AppendBinary(b []byte) ([]byte, error) { return append(b, n.text...), nil }
func (n *note) UnmarshalBinary(b []byte) error {
	if len(b) == 0 {
		return errors.New("an empty note")
	}
	n.text = string(b)
	return nil
}

// The handlers of a module run in the order of arrival. One that panics is counted, and neither the other handlers of
// the message nor later messages miss it. Messages that do not decode are counted.
func TestHandlers(t *testing.T) {
	w := newNetwork(t, traffic.Link{Delay: time.Millisecond}, 1)
	client := w.add(robot(1), nil).Module(tcm.PAM).Client()
	receiver := w.add(robot(2), nil)
	m := w.module(receiver, tcm.GM)
	var log []string
	teamcom.Handle(m, func(from teamcom.From, n *note) {
		if n.text == "bad" {
			panic(fmt.Errorf("a bad note of %v", from.Entity))
		}
		log = append(log, n.text)
	})
	teamcom.Handle(m, func(from teamcom.From, n *note) { log = append(log, n.text+"!") })
	for _, text := range []string{"one", "bad", "", "two"} {
		if err := client.Send(w.now, robots, &note{text}); err != nil {
			t.Fatal(err)
		}
	}
	w.run(time.Second)
	if want := []string{"one", "one!", "bad!", "two", "two!"}; !slices.Equal(log, want) {
		t.Errorf("the handlers ran for %q, want %q", log, want)
	}
	got := receiver.Report(w.now).Handlers[0]
	if got.Calls != 8 || got.Panics != 1 || got.Undecodable != 2 || got.LastPanic != "a bad note of robot:1" {
		t.Errorf("got %+v, want 8 calls, 1 panic and 2 undecodable messages", got)
	}
}

// A handler that blocks fills its own module's queue, which drops and counts; the other module receives everything, and
// the messages of the blocked one wait in order.
func TestBlockedHandler(t *testing.T) {
	w := newNetwork(t, traffic.Link{Delay: time.Millisecond}, 1)
	client := w.add(robot(1), nil).Module(tcm.PAM).Client()
	receiver := w.add(robot(2), func(cfg *teamcom.Config) { cfg.Modules.Messages = 10 })
	blocked, running := receiver.Module(tcm.GM), w.module(receiver, tcm.HFSM)
	entered, leave := make(chan bool), make(chan bool)
	var first, second []string
	teamcom.Handle(blocked, func(_ teamcom.From, n *note) {
		entered <- true
		<-leave
		first = append(first, n.text)
	})
	teamcom.Handle(running, func(_ teamcom.From, n *note) { second = append(second, n.text) })
	send := func(i int) {
		if err := client.Send(w.now, robot(2), &note{fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
		w.run(10 * time.Millisecond)
	}
	clock := func() soccer.Time { return soccer.Epoch }
	send(0)
	done := make(chan int)
	go func() { done <- blocked.Run(clock, 1) }()
	<-entered
	for i := range 19 {
		send(i + 1)
	}
	if n := blocked.Run(clock, 1); n != 0 {
		t.Error("a second call of Run ran a handler beside the first one")
	}
	report := receiver.Report(soccer.Epoch.Add(time.Second)).Handlers[0]
	if report.Pending != 10 || report.Dropped != 9 || report.BusyMillis != 1000 {
		t.Errorf("got %+v while the handler blocks, want 10 pending, 9 dropped and 1000 ms busy", report)
	}
	if len(second) != 20 {
		t.Errorf("the other module received %d messages, want 20", len(second))
	}
	go func() {
		leave <- true
		for range 10 {
			<-entered
			leave <- true
		}
	}()
	<-done
	blocked.Run(clock, 100)
	if want := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}; !slices.Equal(first, want) {
		t.Errorf("the blocked module received %q, want %q", first, want)
	}
}

// A handler may send, also to the robot whose message it handles.
func TestHandlerAnswers(t *testing.T) {
	w := newNetwork(t, traffic.Link{Delay: time.Millisecond}, 1)
	var log []string
	for id := range uint8(2) {
		n := w.add(robot(id+1), nil)
		m := w.module(n, tcm.GM)
		client := m.Client()
		teamcom.Handle(m, func(from teamcom.From, n *note) {
			log = append(log, n.text)
			if len(n.text) < 4 {
				if err := client.Send(from.Now, from.Entity, &note{n.text + "."}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if err := w.nodes[0].Module(tcm.GM).Client().Send(w.now, robot(2), &note{"."}); err != nil {
		t.Fatal(err)
	}
	w.run(time.Second)
	if want := []string{".", "..", "...", "...."}; !slices.Equal(log, want) {
		t.Errorf("got %q, want %q", log, want)
	}
}

// A handler that is slower than its messages arrive works on recent ones: of a latest-wins type, those that waited for
// 100 ms give way to newer ones of the same source.
func TestSlowHandler(t *testing.T) {
	w := newNetwork(t, traffic.Link{Delay: time.Millisecond}, 1)
	for id := range uint8(2) {
		w.add(robot(id+1), nil)
	}
	receiver := w.add(robot(3), nil)
	m := receiver.Module(tcm.GM)
	var got []string
	var oldest time.Duration
	for _, typ := range []tcm.Type{tcm.Belief, tcm.BookingClaim} {
		teamcom.HandleBytes(m, typ, func(from teamcom.From, b []byte) {
			oldest = max(oldest, from.Now.Sub(from.Received))
			got = append(got, fmt.Sprintf("%v %v %d", from.Entity, from.Type, b[0]))
		})
	}
	send := func(typ tcm.Type, i byte) {
		for _, n := range w.nodes[:2] {
			if err := n.Module(tcm.PAM).Client().SendBytes(w.now, robot(3), typ, []byte{i}); err != nil {
				t.Fatal(err)
			}
		}
	}
	send(tcm.BookingClaim, 0)
	for i := range byte(20) {
		send(tcm.Belief, i)
		w.run(50 * time.Millisecond)
	}
	if n := m.Pending(); n != 2+2*2 {
		t.Errorf("%d messages wait, want the 2 claims and the beliefs of the last 100 ms", n)
	}
	m.Run(func() soccer.Time { return w.now }, 100)
	want := []string{
		"robot:1 booking claim 0", "robot:2 booking claim 0",
		"robot:1 belief 18", "robot:2 belief 18", "robot:1 belief 19", "robot:2 belief 19",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the handlers received %q, want %q", got, want)
	}
	if r := receiver.Report(w.now).Handlers[0]; r.Superseded != 2*18 || r.Dropped != 0 {
		t.Errorf("got %+v, want 36 superseded messages", r)
	}
}

// A robot that floods a module's queue loses its own messages, not those of the others.
func TestFloodedModule(t *testing.T) {
	w := newNetwork(t, traffic.Link{Delay: time.Millisecond}, 1)
	flooder, mate := w.add(robot(1), nil), w.add(robot(2), nil)
	receiver := w.add(robot(3), func(cfg *teamcom.Config) { cfg.Modules = teamcom.Limits{Messages: 20, Bytes: 8 << 10} })
	m := receiver.Module(tcm.GM)
	got := map[tcm.Entity]string{}
	teamcom.Handle(m, func(from teamcom.From, n *note) { got[from.Entity] += n.text[:1] })
	send := func(n *teamcom.Node, text string) {
		if err := n.Module(tcm.PAM).Client().Send(w.now, robot(3), &note{text}); err != nil {
			t.Fatal(err)
		}
		w.run(2 * time.Millisecond)
	}
	for i := range 100 {
		send(flooder, "f")
		if i%10 == 9 {
			send(mate, fmt.Sprint(i/10))
		}
	}
	m.Run(func() soccer.Time { return w.now }, 100)
	if got[robot(2)] != "0123456789" || got[robot(1)] != "ffffffffff" {
		t.Errorf("small messages: got %q, want 10 of each", got)
	}
	clear(got)
	for range 8 { // now the bytes are too many
		send(flooder, "f"+string(make([]byte, 1999)))
	}
	send(mate, "m"+string(make([]byte, 1999)))
	m.Run(func() soccer.Time { return w.now }, 100)
	if got[robot(2)] != "m" || got[robot(1)] != "ff" {
		t.Errorf("large messages: got %q, want 2 and 1: three buffers fit", got)
	}
	if r := receiver.Report(w.now).Handlers[0]; r.Dropped != 90+6 {
		t.Errorf("%d messages were dropped, want 96", r.Dropped)
	}
}

// Senders, the loop that moves datagrams and the goroutines of two modules use a node at once.
func TestConcurrentUse(t *testing.T) {
	w := newNetwork(t, traffic.Link{}, 1)
	unlimited := func(cfg *teamcom.Config) {
		for s := range cfg.Budget {
			cfg.Budget[s] = teamcom.Unlimited
		}
		cfg.Modules = teamcom.Limits{Messages: 2000, Bytes: 32 << 20}
	}
	from, to := w.add(robot(1), unlimited), w.add(robot(2), unlimited)
	wake := make(chan bool, 1)
	from.Notify(func() {
		select {
		case wake <- true:
		default:
		}
	}, nil)
	const senders, each = 4, 50
	ready := make(map[*teamcom.Module]chan bool)
	received := make(chan byte, 2*senders*each)
	var group sync.WaitGroup
	for _, id := range []tcm.Module{tcm.GM, tcm.HFSM} {
		m := to.Module(id)
		waiting := make(chan bool, 2000)
		ready[m] = waiting
		teamcom.HandleBytes(m, tcm.FirstOwnType, func(from teamcom.From, b []byte) { received <- b[len(b)-1] })
		group.Go(func() {
			for range waiting {
				m.Run(func() soccer.Time { return soccer.Epoch }, 1)
			}
		})
	}
	to.Notify(nil, func(m *teamcom.Module) { ready[m] <- true })
	for i := range byte(senders) {
		client := from.Module(tcm.FirstOwnModule + tcm.Module(i)).Client()
		group.Go(func() {
			for range each {
				message := append(make([]byte, 700*int(i)), i)
				if err := client.SendBytes(soccer.Epoch, robot(2), tcm.FirstOwnType, message); err != nil {
					t.Error(err)
				}
			}
		})
	}
	now, count := soccer.Epoch, [senders]int{}
	for arrived := 0; arrived < 2*senders*each; {
		select {
		case <-wake:
			for {
				now++
				out, ok := from.Next(now, nil)
				if !ok {
					break
				}
				to.Receive(&soccer.Packet{Time: now, Data: out.Data}, out.Socket)
				to.Report(now)
			}
		case i := <-received:
			count[i]++
			arrived++
		}
	}
	for _, c := range ready {
		close(c)
	}
	group.Wait()
	if count != [senders]int{2 * each, 2 * each, 2 * each, 2 * each} {
		t.Errorf("the modules received %v messages of the senders, want %d of each", count, 2*each)
	}
}
