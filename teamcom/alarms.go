package teamcom

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"touchline/soccer"
)

// alarmFor is the time after which an alarm ends whose counter stands still.
const alarmFor = 10 * time.Second

// reasons are the counters whose growth is an alarm: the sentence has the nodes that count and the sum.
var reasons = []struct {
	count func(*Report) uint64
	text  string
}{
	{
		func(r *Report) uint64 { return r.Refused.SameEntity },
		"%s received %d datagrams that name it as their sender: another program uses its id. Stop that program, or " +
			"give it another id in TCM.ini.",
	},
	{
		func(r *Report) uint64 { return r.Refused.Forged },
		"%s refused %d datagrams that are signed with another key: give every node the same key file (key in " +
			"TCM.ini).",
	},
	{
		func(r *Report) uint64 { return r.Refused.Unsigned },
		"%s refused %d unsigned datagrams: this team signs. Give every node the same key file (key in TCM.ini).",
	},
	{
		func(r *Report) uint64 { return r.Refused.Replayed },
		"%s refused %d repeated datagrams: they are older than the last 1,024 of their sender. A program resends " +
			"recorded datagrams.",
	},
	{
		func(r *Report) uint64 { return r.Refused.OtherTeam },
		"%s refused %d datagrams of another team: it uses the same ports or group. Choose other ones, or correct the " +
			"number of the team in TCM.ini.",
	},
	{
		func(r *Report) uint64 { return r.Refused.UnknownSender },
		"%s refused %d datagrams of senders that TCM.ini does not list: add them to it.",
	},
	{
		func(r *Report) uint64 { return r.Refused.OtherAddress },
		"%s refused %d datagrams that come from another address than TCM.ini gives their sender: a program uses a foreign " +
			"id, or the address in TCM.ini is wrong. Correct it, or write any.",
	},
	{
		func(r *Report) uint64 { return r.Refused.OtherSocket },
		"%s refused %d datagrams that arrived on the wrong port: the base ports in the TCM.ini of sender and receiver" +
			" differ.",
	},
	{
		func(r *Report) uint64 { return r.Refused.TooManySenders },
		"%s refused %d datagrams because too many entities send: a program invents ids.",
	},
	{
		func(r *Report) uint64 { return r.Refused.Foreign },
		"%s refused %d datagrams that are not the TCM’s: another program sends to its ports.",
	},
	{
		func(r *Report) uint64 { return r.Refused.Checksum + r.Refused.Malformed },
		"%s refused %d damaged datagrams: touchline check --live 10s --tcm TCM.ini names their faults.",
	},
	{
		func(r *Report) uint64 { return r.Dropped.Inconsistent + r.Dropped.Corrupt + r.Dropped.TooLong },
		"%s dropped %d pieces of messages that contradict themselves: their sender is faulty.",
	},
	{
		func(r *Report) uint64 { return r.Dropped.Displaced },
		"%s gave up %d incomplete messages because their sender began too many others.",
	},
}

// counter is one counter of one node.
type counter struct{ node, name string }

// growth is when a counter last grew.
type growth struct {
	count uint64
	grew  soccer.Time
}

// grows reports whether a counter grew in the last ten seconds.
func (o *Overview) grows(now soccer.Time, c counter, count uint64) bool {
	g := o.growth[c]
	if count > g.count {
		g.grew = now
	}
	g.count = count
	o.growth[c] = g
	return g.count > 0 && now.Sub(g.grew) < alarmFor
}

// alarms returns the alarms, the most urgent first.
func (o *Overview) alarms(now soccer.Time, nodes []Report) []string {
	alarms := o.clashes(nodes)
	for _, reason := range reasons {
		var who []string
		var sum uint64
		for i := range nodes {
			count := reason.count(&nodes[i])
			if o.grows(now, counter{nodes[i].Entity, reason.text}, count) {
				who = append(who, inWords(nodes[i].Entity))
				sum += count
			}
		}
		if len(who) > 0 {
			alarms = append(alarms, fmt.Sprintf(reason.text, sentence(who), sum))
		}
	}
	return append(alarms, o.handlers(now, nodes)...)
}

// clashes returns an alarm for each id that two programs use, or whose program has too small a boot.
func (o *Overview) clashes(nodes []Report) []string {
	alarms := []string{}
	var known []string
	for i := range nodes {
		for _, l := range nodes[i].Links {
			if (l.Clash || l.RefusedBoot > 0) && !slices.Contains(known, l.Peer) {
				known = append(known, l.Peer)
				alarms = append(alarms, clash(&l))
			}
		}
	}
	return alarms
}

// clash returns the alarm of a link.
func clash(l *LinkReport) string {
	peer := inWords(l.Peer)
	if !l.Clash {
		return fmt.Sprintf("A program that sends as %s is refused: its boot %d is below %d, which this signed team has "+
			"seen. Start it again with tenths of a second since 2020-01-01 UTC as its boot.", peer, l.RefusedBoot, l.Boot)
	}
	text := fmt.Sprintf("Two programs send as %s: stop one of them, or give it another id in TCM.ini.", peer)
	if l.RefusedBoot > 0 {
		text += fmt.Sprintf(" The one with boot %d is heard; the one with boot %d is refused, for the greater boot counts "+
			"(tenths of a second since 2020-01-01 UTC).", l.Boot, l.RefusedBoot)
	}
	return text
}

// handlers returns the alarms of modules whose handlers panic or are too slow.
func (o *Overview) handlers(now soccer.Time, nodes []Report) (alarms []string) {
	for i := range nodes {
		n := &nodes[i]
		for _, h := range n.Handlers {
			if o.grows(now, counter{n.Entity, h.Module + " panics"}, h.Panics) {
				alarms = append(alarms, fmt.Sprintf("Module %s of %s panicked in %d of %d calls and lost their messages; "+
					"other modules are not affected. Last panic: %.80s",
					h.Module, inWords(n.Entity), h.Panics, h.Calls, h.LastPanic))
			}
			if o.grows(now, counter{n.Entity, h.Module + " drops"}, h.Dropped) {
				alarms = append(alarms, fmt.Sprintf("Module %s of %s is too slow: %d messages found its queue full.",
					h.Module, inWords(n.Entity), h.Dropped))
			}
			if o.grows(now, counter{n.Entity, h.Module + " undecodable"}, h.Undecodable) {
				alarms = append(alarms, fmt.Sprintf("Module %s of %s dropped %d messages that it could not decode: their "+
					"sender uses another format.", h.Module, inWords(n.Entity), h.Undecodable))
			}
		}
	}
	return alarms
}

// inWords returns an entity as people say it: robot 3.
func inWords(entity string) string { return strings.Replace(entity, ":", " ", 1) }

// sentence returns a list that begins a sentence: "Robot 1, robot 2 and computer 1".
func sentence(who []string) string {
	last := len(who) - 1
	text := who[last]
	if last > 0 {
		text = strings.Join(who[:last], ", ") + " and " + text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
