package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"touchline/internal/capture"
	"touchline/internal/check"
	"touchline/internal/check/checknet"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire"
	"touchline/wire/mixedteam"
	"touchline/wire/tcm"
)

// maxInput is the longest capture, hex text or file of messages in bytes.
const maxInput = 1 << 30

// checkFile checks one file of any format, and each match of a zip with several.
func (f *checkFlags) checkFile(name string, in io.Reader) ([]checkInput, error) {
	input := checkInput{Name: name}
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, errors.Unwrap(err)
		}
		defer file.Close()
		in = file
	}
	r := bufio.NewReader(in)
	format, err := capture.Sniff(r)
	switch {
	case errors.Is(err, capture.ErrEmpty):
		err = errors.New("is empty")
	case errors.Is(err, syscall.EISDIR):
		err = fmt.Errorf("is a directory: give its files, for example %s", filepath.Join(name, "*.zip"))
	case err != nil:
	case format == capture.Gzip: // a log of the Small Size League
		inputs, err := f.checkLogs(name, format, r)
		if errors.Is(err, matchlog.ErrFormat) {
			err = errors.New("is compressed: unpack it first, gunzip -c FILE | touchline check -")
		}
		return inputs, err
	case format == capture.EventLog:
		err = errors.New("is the RefBox's log of events, not of a team: check the .A.msl and .B.msl beside it, or the zip")
	case format.MatchLog():
		head, _ := r.Peek(16)
		empty := len(bytes.Trim(head, "[] \t\r\n")) == 0 // RefBox 2.1 writes it for a team that sent nothing
		inputs, err := f.checkLogs(name, format, r)
		switch {
		case format == capture.Zip && errors.Is(err, matchlog.ErrFormat):
			err = noKind(err)
		case format == capture.TeamLog && err == nil && !empty && !slices.ContainsFunc(inputs, checkInput.contents):
			err = noKind(errors.New("no record of a RefBox's team log follows the first bracket"))
		}
		return inputs, err
	default:
		err = f.checkCapture(&input, format, r)
		if recognised := format != capture.Hex && format != capture.Datagram; err != nil && !recognised &&
			input.Report.Packets == 0 {
			err = noKind(err)
		}
	}
	return []checkInput{input}, err
}

// fileKinds are the kinds of files that check reads.
const fileKinds = "a match log (a RefBox's zip, .A.msl or .B.msl, .mcap, or .log and .log.gz of the Small Size League), " +
	"JSON messages of a base station, a capture (pcap, pcapng), hex text, or one datagram"

// noKind is the error of a file that check does not recognise; why is that of reading it as the most similar kind.
func noKind(why error) error {
	return fmt.Errorf("is not a kind of file that check reads (%w): want %s", why, fileKinds)
}

// checkCapture checks a capture, hex text, a datagram or messages.
func (f *checkFlags) checkCapture(input *checkInput, format capture.Format, r io.Reader) error {
	checker := f.checker()
	accept := checker.Recognises
	if f.to.IsValid() {
		accept = func(to netip.AddrPort, _ []byte) bool { return to == f.to }
	}
	packets, err := capture.NewReader(&sizeLimit{r, maxInput}, accept)
	if err != nil {
		return err
	}
	if format.Station() {
		return input.checkMessages(packets)
	}
	return input.checkPackets(packets, checker)
}

// checker returns a checker of packets.
func (f *checkFlags) checker() *check.Checker {
	c := &check.Checker{Kind: f.kind}
	c.SetTeam(f.team.Directory, f.team.key)
	return c
}

// checkPackets checks the datagrams of a capture or hex text.
func (i *checkInput) checkPackets(packets *capture.Reader, checker *check.Checker) error {
	i.Kind = string(packets.Format)
	for {
		p, err := packets.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			i.Report = checker.Report()
			return err
		}
		checker.Add(&p)
	}
	checker.Close()
	i.Skipped, i.Report, i.Cards = packets.Skipped, checker.Report(), checker.Cards()
	i.sumUp()
	if i.Skipped.Torn {
		i.Notes = append(i.Notes, "torn: the file ends in the middle of a packet")
	}
	return nil
}

// checkMessages checks the messages of a base station.
func (i *checkInput) checkMessages(messages *capture.Reader) error {
	i.Kind = string(capture.Messages)
	card := check.NewCard("team", soccer.Field{})
	for n := int64(1); ; n++ {
		p, err := messages.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		m := check.StationMessage{Line: messages.Line, Offset: messages.Offset, Data: p.Data}
		if m.Line == 0 {
			m.Offset = n
		}
		card.Add(&m)
	}
	if messages.Skipped.Torn {
		card.SetTorn()
	}
	card.SetTeam(cmp.Or(card.OwnName(), "team"))
	i.Cards = []check.StationReport{card.Report()}
	i.sumUp()
	return nil
}

// contents reports whether the input holds any message or packet.
func (i checkInput) contents() bool {
	return i.Report.Packets > 0 || slices.ContainsFunc(i.Cards, func(c check.StationReport) bool { return c.Messages > 0 })
}

// sumUp completes the report of the packets with the cards.
func (i *checkInput) sumUp() {
	r := &i.Report
	ok := r.OK || r.Wrong == 0 && len(i.Cards) > 0
	messages := uint64(0)
	for _, c := range i.Cards {
		ok = ok && c.OK
		messages += c.Messages
	}
	if r.OK = ok; r.Packets == 0 {
		r.Packets = messages
	}
	if r.Senders == nil {
		r.Senders = []check.Sender{}
	}
}

// sizeLimit fails after left bytes.
type sizeLimit struct {
	r    io.Reader
	left int64
}

func (l *sizeLimit) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errors.New("is longer than 1 GiB: cut it, for example with editcap -c 1000000 IN OUT")
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// checkLogs checks a match log, or each match of a zip with several.
func (f *checkFlags) checkLogs(name string, format capture.Format, r io.Reader) ([]checkInput, error) {
	path := name
	if info, err := os.Stat(name); name == "-" || err != nil || !info.Mode().IsRegular() { // a pipe
		if path, err = copyToFile(r); err != nil {
			return nil, err
		}
		defer os.Remove(path)
	}
	matches, err := matchlog.Matches(path)
	if err != nil {
		return nil, err
	}
	var inputs []checkInput
	for _, match := range matches {
		input, err := f.checkLog(name, format, path, match)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, input)
	}
	return inputs, nil
}

// checkLog checks one match log, which may be incomplete or still be written: the report cards of its teams and its
// packets.
func (f *checkFlags) checkLog(name string, format capture.Format, path, match string) (checkInput, error) {
	input := checkInput{Name: name, Kind: string(format)}
	if match != "" {
		input.Name += ", match " + wire.Printable(match)
	}
	log, err := matchlog.OpenMatch(path, match)
	if err != nil {
		return input, cmp.Or(errors.Unwrap(err), err) // without the path
	}
	defer log.Close()
	if input.Cards, err = checknet.Reports(log); err != nil {
		return input, err
	}
	info := log.Info()
	input.Notes = info.Notes
	switch {
	case info.Torn != "":
		input.Skipped.Torn, input.Notes = true, append(input.Notes, "torn: "+info.Torn)
	case info.Format == "mcap" && !info.Finished:
		input.Notes = append(input.Notes, notFinished)
	}
	checker := f.checker()
	for m, err := range log.Messages(0, 0, matchlog.Packets, matchlog.TCM) {
		if err != nil {
			return input, err
		}
		if p, err := matchlog.ParsePacket(m); err == nil && (!f.to.IsValid() || p.Channel == f.to.String()) {
			checker.Add(&p)
		}
	}
	checker.Close()
	input.Report, input.Cards = checker.Report(), append(input.Cards, checker.Cards()...)
	if input.sumUp(); input.Report.Packets == 0 {
		return input, unreadable(log)
	}
	return input, nil
}

// copyToFile copies r to a temporary file and returns its path.
func copyToFile(r io.Reader) (string, error) {
	file, err := os.CreateTemp("", "touchline-check-*")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, r)
	if err = errors.Join(err, file.Close()); err != nil {
		os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}

// unreadable returns why a log without messages could not be read; nil if it is empty.
func unreadable(log *matchlog.Log) error {
	all := []error{log.Wait()}
	for _, f := range log.Info().Files {
		if f.Error != "" {
			all = append(all, fmt.Errorf("%s: %s", f.Name, f.Error))
		}
	}
	return errors.Join(all...)
}

// checkedTeam is the team of TCM datagrams.
type checkedTeam struct {
	*teamcom.Directory          // nil without --tcm
	key                *tcm.Key // nil without one
}

// readTeam reads the file of --tcm and the key that it names.
func (f *checkFlags) readTeam() error {
	if f.tcm == "" {
		return nil
	}
	text, err := os.ReadFile(f.tcm)
	if err != nil {
		return fmt.Errorf("--tcm: %w", err)
	}
	if f.team.Directory, err = teamcom.Parse(text); err != nil {
		return fmt.Errorf("--tcm %s: %w", f.tcm, err)
	}
	name := f.team.KeyFile
	if name == "" {
		return nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(f.tcm), name)
	}
	secret, err := os.ReadFile(name)
	if err == nil {
		f.team.key, err = tcm.NewKey(secret)
	}
	if err != nil {
		return fmt.Errorf("the key of --tcm %s: %s: %w", f.tcm, name, err)
	}
	return nil
}

// sources returns where a live check receives.
func (f *checkFlags) sources() (checknet.Config, error) {
	cfg := checknet.Config{Interface: f.iface, ThisMachine: f.iface == ""}
	if f.team.Directory == nil {
		cfg.Groups = []netip.AddrPort{f.to}
		if !f.to.IsValid() {
			cfg.Groups[0] = netip.MustParseAddrPort(mixedteam.Group)
		}
		return cfg, nil
	}
	cfg.ThisMachine = false
	for socket := range tcm.Socket(tcm.Sockets) {
		for _, base := range []netip.AddrPort{f.team.Group, f.team.Managers} {
			if at := teamcom.Port(base, socket); base.IsValid() && !slices.Contains(cfg.Groups, at) {
				cfg.Groups = append(cfg.Groups, at)
			}
		}
	}
	if f.as == "" {
		if len(cfg.Groups) == 0 {
			return cfg, fmt.Errorf("--tcm %s names no multicast group, and check cannot receive messages to other entities: "+
				"name one (group = 239.255.42.1:23000), or take the place of an entity, for example --as robot:3", f.tcm)
		}
		return cfg, nil
	}
	entity, err := tcm.ParseEntity(f.as)
	if err != nil {
		return cfg, fmt.Errorf("--as %w", err)
	}
	entry, known := f.team.Entry(entity)
	if !known || entry.Learn {
		return cfg, fmt.Errorf("--as %s: %s gives it no address: want an entity with an address and a port", f.as, f.tcm)
	}
	for socket := range tcm.Socket(tcm.Sockets) {
		cfg.Own = append(cfg.Own, teamcom.Port(entry.Addr, socket))
	}
	return cfg, nil
}

// receive checks packets from the network for the time of --live.
func (f *checkFlags) receive(ctx context.Context, progress io.Writer) (checkInput, error) {
	input := checkInput{Kind: livePackets}
	cfg, err := f.sources()
	if err != nil {
		return input, err
	}
	var names []string
	for _, at := range slices.Concat(cfg.Groups, cfg.Own) {
		names = append(names, at.String())
	}
	input.Name = strings.Join(names, ", ")
	checker := f.checker()
	listening := func() { fmt.Fprintf(progress, "listening on %s for %v\n", input.Name, f.live) }
	if input.Dropped, err = checknet.Receive(ctx, cfg, f.live, listening, checker.Add); err != nil {
		return input, err
	}
	checker.Close()
	input.Report, input.Cards = checker.Report(), checker.Cards()
	input.sumUp()
	return input, nil
}
