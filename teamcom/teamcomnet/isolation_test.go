package teamcomnet_test

import (
	"fmt"
	"testing"

	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/wire/tcm"
	"touchline/wire/wiretest"
)

// handlerReport returns the counters of a module.
func handlerReport(t testing.TB, e *teamcomnet.Endpoint, m tcm.Module) teamcom.HandlerReport {
	t.Helper()
	for _, h := range e.Report(e.Now()).Handlers {
		if h.Module == m.String() {
			return h
		}
	}
	t.Fatalf("no report of %v", m)
	return teamcom.HandlerReport{}
}

// A handler that blocks delays no other module, and a handler that panics no other message. Both are counted.
func TestBadHandlers(t *testing.T) {
	path := localIni(t, "")
	a := open(t, path, robot1, nil)
	b := open(t, path, robot2, func(c *teamcomnet.Config) { c.Node.Modules.Messages = 10 })
	release := make(chan struct{})
	teamcom.HandleBytes(b.Module(tcm.HFSM), ownType, func(teamcom.From, []byte) { <-release })
	teamcom.HandleBytes(b.Module(tcm.PAM), ownType, func(_ teamcom.From, m []byte) { panic("handler of " + string(m)) })
	good := listen(b, tcm.GM, ownType)
	run(t, a, b)
	t.Cleanup(func() { close(release) }) // before the endpoints end
	const messages = 100
	for i := range messages {
		text := fmt.Sprint(i)
		send(t, a, robot2, ownType, text)
		if got := receive(t, good); got.data != text {
			t.Fatalf("got %q, want %q", got.data, text)
		}
		wiretest.Eventually(t, "the panicking handler gets the message, too", func() bool {
			return handlerReport(t, b, tcm.PAM).Panics == uint64(i+1)
		})
	}
	if got := handlerReport(t, b, tcm.PAM).LastPanic; got != "handler of 99" {
		t.Errorf("the last panic is %q", got)
	}
	if got := handlerReport(t, b, tcm.HFSM); got.Calls != 0 || got.Pending != 10 || got.Dropped != messages-11 {
		t.Errorf("the blocked module: got %+v, want 10 waiting messages and the rest dropped", got)
	}
	if got := handlerReport(t, b, tcm.GM); got.Calls != messages || got.Dropped != 0 {
		t.Errorf("the good module: got %+v", got)
	}
}

// Beliefs overtake a bulk class that is saturated: each arrives while bulk messages wait.
func TestBulkDelaysNoBelief(t *testing.T) {
	path := localIni(t, "")
	a := open(t, path, robot1, func(c *teamcomnet.Config) { c.Node.Budget[tcm.Bulk] = 20_000 })
	b := open(t, path, robot2, nil)
	beliefs, bulk := listen(b, tcm.GM, tcm.Belief), listen(b, tcm.Manager, ownType)
	run(t, a, b)
	for range 40 { // 4 MB need minutes
		send(t, a, robot2, ownType, string(make([]byte, 100_000)))
	}
	for i := range 100 {
		send(t, a, robot2, tcm.Belief, fmt.Sprint(i))
		if got := receive(t, beliefs); got.data != fmt.Sprint(i) {
			t.Errorf("got belief %s, want %d", got.data, i)
		}
	}
	if waiting, _ := a.Waiting(tcm.Bulk); waiting == 0 || len(bulk) == 40 {
		t.Error("the bulk class was not saturated")
	}
}
