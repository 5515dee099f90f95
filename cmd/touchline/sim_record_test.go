package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"touchline/capture"
	"touchline/soccer"
	"touchline/vss"
	"touchline/vss/vssnet"
	"touchline/wire/wiretest"
)

// A pcap file has the datagrams with their addresses.
func TestPcapRecord(t *testing.T) {
	for _, pairs := range [][][2]string{
		{{"127.0.0.1:4000", "127.0.0.1:20011"}, {"127.0.0.1:20011", "224.0.0.1:10002"}, {"127.0.0.1:4000", "0.0.0.0:0"}},
		{{"[::1]:4000", "[::1]:20011"}, {"[::]:0", "[::1]:9"}},
	} {
		name := filepath.Join(t.TempDir(), "all.pcap")
		r, err := newPcapRecorder(name, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		for i, pair := range pairs {
			r.packet(soccer.Epoch, netip.MustParseAddrPort(pair[0]), netip.MustParseAddrPort(pair[1]), []byte{byte(i), 1, 2})
		}
		r.close()
		if text := r.trouble(); text != "" {
			t.Fatal(text)
		}
		for i, pair := range pairs {
			all := udpPackets(t, name, netip.MustParseAddrPort(pair[1]))
			if len(all) != 1 || all[0].From.String() != pair[0] || !bytes.Equal(all[0].Data, []byte{byte(i), 1, 2}) {
				t.Errorf("packets to %s: %+v", pair[1], all)
			}
		}
		if strings.HasPrefix(pairs[0][0], "127.") {
			checkReads(t, name, pairs[0])
		}
	}
}

// checkReads reads the packet from one address to the other as touchline check does.
func checkReads(t *testing.T, name string, pair [2]string) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c, err := capture.NewReader(file, func(to netip.AddrPort) bool { return to.String() == pair[1] })
	if err != nil {
		t.Fatal(err)
	}
	packet, err := c.Next()
	if err != nil || packet.Time != soccer.Epoch || packet.From.String() != pair[0] {
		t.Errorf("touchline check reads %+v, %v", packet, err)
	}
	for err == nil {
		_, err = c.Next()
	}
	if !errors.Is(err, io.EOF) || c.Skipped.Unknown > 0 || c.Skipped.Torn {
		t.Errorf("%v, %+v", err, c.Skipped)
	}
}

// udpPackets returns the datagrams to an address in a pcap file of IP packets.
func udpPackets(t *testing.T, name string, to netip.AddrPort) (all []soccer.Packet) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := pcapgo.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for {
		b, _, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		first := layers.LayerTypeIPv4
		if b[0]>>4 == 6 {
			first = layers.LayerTypeIPv6
		}
		p := gopacket.NewPacket(b, first, gopacket.Default)
		udp, ok := p.TransportLayer().(*layers.UDP)
		if !ok {
			t.Fatalf("recorded %v", p)
		}
		address := func(ip gopacket.Endpoint, port layers.UDPPort) netip.AddrPort {
			a, _ := netip.AddrFromSlice(ip.Raw())
			return netip.AddrPortFrom(a, uint16(port))
		}
		flow := p.NetworkLayer().NetworkFlow()
		if address(flow.Dst(), udp.DstPort) == to {
			all = append(all, soccer.Packet{From: address(flow.Src(), udp.SrcPort), Data: udp.Payload})
		}
	}
}

// The page shows that a full disk has ended the record; the simulator runs on.
func TestSimVSSFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Logf("no /dev/full here: %v", err)
		return
	}
	f := simFlags{config: vssnet.DefaultConfig(), headless: true, record: "/dev/full"}
	f.config.Commands, f.config.Vision = "127.0.0.1:0", []string{"127.0.0.1:1"}
	f.config.RefereeGroup, f.config.WishesGroup = "224.5.23.2:20103", "224.5.23.2:20104"
	sim, err := f.open(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- sim.play(ctx) }()
	shown := func() *vss.Show { return sim.show("vss").(*vss.Show) }
	wiretest.Eventually(t, "the page shows that recording has stopped", func() bool { return strings.Contains(shown().Trouble, "recording has stopped") })
	then := shown().Time
	wiretest.Eventually(t, "the simulation continues", func() bool { return shown().Time > then })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	sim.close()
	if text := sim.recordTrouble(); !strings.Contains(text, "no space") {
		t.Errorf("the summary says %q", text)
	}
}

// A disk that takes nothing more does not hold up the end for ever.
func TestRecordOnADeadDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, err := os.Create(filepath.Join(t.TempDir(), "dead.pcap"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		r := &pcapRecorder{file: file, log: slog.New(slog.DiscardHandler), more: make(chan struct{}, 1), done: make(chan struct{})} // nobody writes
		began := time.Now()
		r.close()
		if d := time.Since(began); d != closeTime || !strings.Contains(r.trouble(), "missing") {
			t.Errorf("it ends after %v, trouble %q", d, r.trouble())
		}
	})
}
