package main

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"net/netip"
	"os"

	"touchline/capture"
	"touchline/conform"
	"touchline/reportcard"
	"touchline/soccer"
)

// maxInput is how much of a capture, hex text or file of messages is read, in bytes.
const maxInput = 1 << 30

// checkFile checks one file, of whatever format it is.
func checkFile(name string, in io.Reader, group netip.AddrPort) (checkInput, error) {
	input := checkInput{Name: name}
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return input, errors.Unwrap(err)
		}
		defer file.Close()
		in = file
	}
	r := bufio.NewReader(in)
	format, err := capture.Sniff(r)
	switch {
	case err != nil:
		return input, err
	case format == capture.Gzip:
		return input, errors.New("is compressed: unpack it first, gunzip -c FILE | touchline check -")
	case format == capture.EventLog:
		return input, errors.New("is the referee's log of events, which no team wrote: check the .A.msl and .B.msl beside it, or the zip")
	case format.MatchLog():
		return checkLog(name, format, r)
	}
	accept := capture.ToMixedTeam
	if group.IsValid() {
		accept = func(to netip.AddrPort) bool { return to == group }
	}
	packets, err := capture.NewReader(&atMost{r, maxInput}, accept)
	if err != nil {
		return input, err
	}
	if format.Station() {
		err = input.checkMessages(packets)
	} else {
		err = input.checkPackets(packets)
	}
	return input, err
}

// checkPackets checks the datagrams of a capture or hex text.
func (input *checkInput) checkPackets(packets *capture.Reader) error {
	input.Kind = string(packets.Format)
	var checker conform.Checker
	for {
		p, err := packets.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		checker.Add(&p)
	}
	input.Skipped, input.Report = packets.Skipped, checker.Report()
	return nil
}

// checkMessages checks what a base station sent.
func (input *checkInput) checkMessages(messages *capture.Reader) error {
	input.Kind = string(capture.Messages)
	card := reportcard.New("team", soccer.Field{})
	for n := int64(1); ; n++ {
		p, err := messages.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		m := reportcard.Message{Line: messages.Line, Offset: messages.Offset, Data: p.Data}
		if m.Line == 0 {
			m.Offset = n
		}
		card.Add(&m)
	}
	if messages.Skipped.Torn {
		card.SetTorn()
	}
	card.SetTeam(cmp.Or(card.OwnName(), "team"))
	input.Cards = []reportcard.Report{card.Report()}
	input.judge()
	return nil
}

// judge sums up the cards, and the report of datagrams where there are some.
func (input *checkInput) judge() {
	r := &input.Report
	ok := r.OK || r.Packets == 0 && len(input.Cards) > 0
	messages := uint64(0)
	for _, c := range input.Cards {
		ok = ok && c.OK
		messages += c.Messages
	}
	if r.OK = ok; r.Packets == 0 {
		r.Packets = messages
	}
	if r.Senders == nil {
		r.Senders = []conform.Sender{}
	}
}

// atMost refuses to read on after left bytes.
type atMost struct {
	r    io.Reader
	left int64
}

func (a *atMost) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, errors.New("is longer than 1 GiB: cut it, for example with editcap -c 1000000 IN OUT")
	}
	n, err := a.r.Read(p[:min(int64(len(p)), a.left)])
	a.left -= int64(n)
	return n, err
}
