package doctor

import (
	"fmt"
	"time"
)

// answered returns the peer if its streams can be judged.
func (f *Facts) answered() *Peer {
	if f.Peer == nil || !f.Peer.Answered {
		return nil
	}
	return f.Peer
}

// silent returns the peer if it did not answer.
func (f *Facts) silent() *Peer {
	if f.Peer == nil || f.Peer.Answered {
		return nil
	}
	return f.Peer
}

// sameNetwork reports whether the peer is in the network of the interface.
func (f *Facts) sameNetwork() bool {
	for _, p := range f.Interface.Prefixes {
		if p.Contains(f.Peer.Addr.Addr()) {
			return true
		}
	}
	return false
}

func isolated(f *Facts) *Finding {
	p := f.silent()
	if p == nil || !f.sameNetwork() || p.Neighbor != Unresolved {
		return nil
	}
	x := Finding{
		Cause: "peer-absent",
		Seen:  fmt.Sprintf("%v does not answer ARP on %s", p.Addr.Addr(), f.Interface.Name),
		Means: "no frame reaches that machine: it is off, has another address, or is on another network or VLAN",
		Where: "on " + p.Host + ": check cable, Wi-Fi network and address; on the switch: check the VLAN of both ports",
	}
	if p.Router == Resolved {
		x.Cause = "isolated"
		x.Seen += fmt.Sprintf(", but the router %v does", f.Gateway)
		x.Means = "if the machine is on and has this address, the access point or switch lets both reach the router but not each " +
			"other (client isolation, private VLAN), or they are on different VLANs"
		x.Fix = "bridge link set dev PORT isolated off"
		x.Where = "on the switch, if it is a Linux bridge, for the port of each machine; on an access point turn \"client isolation\" " +
			"off"
	}
	return &x
}

func peerSilent(f *Facts) *Finding {
	p := f.silent()
	switch {
	case p == nil || f.sameNetwork() && p.Neighbor == Unresolved:
		return nil
	case !f.sameNetwork():
		return &Finding{
			Cause: "other-network",
			Seen: fmt.Sprintf("%v is not in the network %v of %s, and does not answer", p.Addr.Addr(),
				f.Interface.IPv4().Masked(),
				f.Interface.Name),
			Means: "multicast with a TTL of 1 does not leave its network",
			Where: "give both machines addresses in the same network, on the same switch",
		}
	}
	return &Finding{
		Cause: "peer-silent",
		Seen:  fmt.Sprintf("%v does not answer on UDP port %d", p.Addr.Addr(), p.Addr.Port()),
		Means: "doctor --serve is not running there, or a firewall on that machine blocks the port",
		Fix:   "touchline doctor --serve --interface IF",
		Where: fmt.Sprintf("on %s, with its interface for IF; if it already runs, open UDP port %d in its firewall",
			p.Host,
			p.Addr.Port()),
	}
}

// fragments finds streams of whole datagrams that arrive while longer ones do not.
func fragments(f *Facts) *Finding {
	p := f.answered()
	if p == nil {
		return nil
	}
	full, long := p.Result(Unicast, 1472), p.Result(Unicast, 3717)
	if full == nil || long == nil || full.Got*2 < full.Sent || long.Got > 0 {
		return nil
	}
	x := Finding{
		Cause: "fragments-dropped",
		Seen:  "datagrams of 1,472 bytes arrive, but datagrams of 3,717 bytes do not",
		Means: "fragments are dropped: messages over 1,472 bytes, such as worldstates by UDP, are lost",
		Where: "on the path to " + p.Host + ": let fragments pass, or keep messages within 1,472 bytes",
	}
	switch {
	case f.Kernel && f.FragmentBytes < leastBuffer:
		x.Seen += fmt.Sprintf("; net.ipv4.ipfrag_high_thresh is %d bytes", f.FragmentBytes)
		x.Fix, x.Where = f.command("sysctl -w net.ipv4.ipfrag_high_thresh=4194304"), here
	case long.PeerGot > 0:
		x.Seen += "; they are lost on the path to this machine"
		if f.Chains != nil {
			var rules []string
			for _, c := range f.Chains {
				if c.Hook != "output" {
					rules = append(rules, fmt.Sprintf("nft 'insert rule %s %s %s iifname %s ip frag-off & 0x3fff != 0 accept'",
						c.Family,
						c.Table, c.Name, f.Interface.Name))
				}
			}
			x.Fix, x.Where = f.commands(rules), here
		}
	default:
		x.Seen += "; they are lost on the path to " + p.Host
	}
	return &x
}

// snooping finds multicast that ends while unicast goes on.
func snooping(f *Facts) *Finding {
	p := f.answered()
	if p == nil || p.Snooping.Ran == 0 || p.Snooping.Multicast == 0 {
		return nil
	}
	s := p.Snooping
	if s.LastUnicast < s.LastMulticast+s.Ran/silence {
		return nil
	}
	return &Finding{
		Cause: "snooping",
		Seen: fmt.Sprintf("multicast from %s stopped %v after this machine joined the group, but unicast continued for %v",
			p.Host,
			s.LastMulticast.Round(time.Second), s.LastUnicast.Round(time.Second)),
		Means: "the switch uses IGMP snooping, but the network has no IGMP querier, so the switch forgets the group members",
		Fix:   "ip link set dev BRIDGE type bridge mcast_querier 1",
		Where: "on the switch, if it is a Linux bridge; on other switches turn the IGMP querier on, or IGMP snooping off",
	}
}

// oneWayMulticast finds a direction in which unicast passes and multicast does not.
func oneWayMulticast(f *Facts) *Finding {
	p := f.answered()
	if p == nil || !f.sameNetwork() || f.Risen.ReversePath >= fewPackets && f.RPFilter != 0 {
		return nil // explained
	}
	to, from := p.Result(MulticastTo, 100), p.Result(MulticastFrom, 100)
	unheard := from != nil && from.PeerGot > 0 && from.Got == 0 && f.SelfGroup != Lost
	switch {
	case to != nil && to.PeerGot == 0 && f.SelfGroup != Refused:
		direction, where := "from here to "+p.Host, "on "+p.Host
		if unheard {
			direction, where = "in both directions", "on the switch or access point"
		}
		return &Finding{
			Cause: "multicast-blocked", Seen: fmt.Sprintf("unicast arrives, but multicast %s does not (0 of %d)", direction, to.Sent),
			Means: "a firewall on the other machine drops it, or the switch or access point filters multicast",
			Fix:   "touchline doctor --interface IF", Where: where + ": run doctor there, with its interface for IF",
		}
	case unheard:
		fix, where := f.allow("input")
		return &Finding{
			Cause: "multicast-blocked", Seen: fmt.Sprintf("unicast arrives, but multicast from %s does not (0 of %d)", p.Host,
				from.PeerGot),
			Means: "a firewall on this machine drops packets from other machines, or the switch or access point filters multicast",
			Fix:   fix, Where: where,
		}
	}
	return nil
}

// loss finds the first direction in which datagrams are lost now and then.
func loss(f *Facts) *Finding {
	p := f.answered()
	if p == nil {
		return nil
	}
	for i := range p.Streams {
		s := &p.Streams[i]
		if s.Kind == SnoopFrom || s.Kind == SnoopUnicast || s.Got == 0 || s.PeerGot == 0 {
			continue // another finding
		}
		share, direction := s.to(), "to "+p.Host
		if s.from() > share {
			share, direction = s.from(), "from "+p.Host
		}
		if share < manyLost {
			continue
		}
		x := Finding{
			Cause: "loss", Seen: fmt.Sprintf("%.0f %% of the datagrams %s are lost (%s, %d bytes; %d sent, %d there, %d back)",
				100*share,
				direction, s.Kind, s.Size, s.Sent, s.PeerGot, s.Got),
			Means: "the path " + direction +
				" loses packets: a bad cable or plug, a weak Wi-Fi signal, or a firewall rule that drops some",
			Where: "check cables and signal on the path " + direction,
		}
		if f.Interface.Wireless {
			x.Fix, x.Where = f.command("iw dev %s set power_save off", f.Interface.Name),
				here+"; if that does not help, use a cable"
		}
		if len(f.Chains) > 0 && s.from() == share {
			x.Fix, x.Where = f.allow("input")
		}
		return &x
	}
	return nil
}

func duplicates(f *Facts) *Finding {
	p := f.answered()
	if p == nil {
		return nil
	}
	for _, s := range p.Streams {
		direction, twice := "from "+p.Host, s.Twice
		if s.PeerTwice > twice {
			direction, twice = "to "+p.Host, s.PeerTwice
		}
		if float64(twice) < manyTwice*float64(max(1, s.Sent)) {
			continue
		}
		return &Finding{
			Cause: "duplicates",
			Seen: fmt.Sprintf("%d of %d datagrams %s arrived more than once (%s, %d bytes)", twice, s.Sent, direction, s.Kind,
				s.Size),
			Means: "the network has a loop, or two devices forward the same packets",
			Fix:   "ip link set dev BRIDGE type bridge stp_state 1",
			Where: "on the switch, if it is a Linux bridge; otherwise unplug the cable that closes the loop",
		}
	}
	return nil
}

// hops finds a router on the way, which multicast does not cross.
func hops(f *Facts) *Finding {
	p := f.answered()
	if p == nil || f.sameNetwork() || f.Interface.Loopback {
		return nil
	}
	to, from := p.Result(MulticastTo, 100), p.Result(MulticastFrom, 100)
	if to == nil || from == nil || to.PeerGot > 0 && from.Got > 0 {
		return nil
	}
	ttl := 0
	if s := p.Result(Unicast, 100); s != nil {
		ttl = s.TTL
	}
	return &Finding{
		Cause: "other-network",
		Seen: fmt.Sprintf("%s is behind a router (its datagrams arrive with a TTL of %d), and multicast does not arrive",
			p.Host,
			ttl),
		Means: "multicast with a TTL of 1 does not cross a router",
		Where: "give both machines addresses in the same network, on the same switch",
	}
}

func clocks(f *Facts) *Finding {
	p := f.answered()
	if p == nil || p.Offset.Abs() < offsetLimit+p.RTT/2 {
		return nil
	}
	return &Finding{
		Cause: "clock-offset",
		Seen: fmt.Sprintf("the clock of %s differs from ours by %+.0f ms (round trip %.1f ms)", p.Host, p.Offset.Seconds()*1000,
			p.RTT.Seconds()*1000),
		Means: "ages in packages are wrong, and the logs of the two machines do not line up",
		Fix:   f.command("chronyc makestep"), Where: here + " and on " + p.Host + ", with the same time server for both",
	}
}
