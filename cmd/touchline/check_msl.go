package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"touchline/capture"
	"touchline/conform"
	"touchline/reportcard"
	"touchline/soccer"
	"touchline/wire/msl"
)

// maxTeamLogs is how many teams' logs of one zip are read.
const maxTeamLogs = 16

// checkLog checks a log or messages of base stations.
func checkLog(name string, format capture.Format, file *os.File, r *bufio.Reader) (input checkInput, err error) {
	input = checkInput{Name: name, Kind: string(format)}
	switch format {
	case capture.Zip:
		input.Cards, err = checkZip(file, r)
	case capture.MCAP:
		input.Cards, err = checkMCAP(name, r)
	case capture.EventLog:
		return input, errors.New("is the referee's log of events, which no team wrote: check the .A.msl and .B.msl beside it, or the zip")
	case capture.Messages:
		input.Cards, err = checkMessages(r)
	default:
		input.Cards, err = checkTeamLogs([]teamLog{{side: sideOf(name), open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}})
	}
	input.judge(err)
	return input, err
}

// judge sums up the cards.
func (input *checkInput) judge(err error) {
	input.Report = conform.Report{OK: err == nil && len(input.Cards) > 0, Senders: []conform.Sender{}}
	for _, c := range input.Cards {
		input.Report.OK = input.Report.OK && c.OK
		input.Report.Packets += c.Messages
	}
}

// checkHexMessages checks messages that are written as hex digits.
func checkHexMessages(name string, messages *capture.Reader) (input checkInput, err error) {
	input = checkInput{Name: name, Kind: string(capture.Messages)}
	card := reportcard.New("team", soccer.Field{})
	for n := int64(1); ; n++ {
		p, err := messages.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return input, err
		}
		card.Add(&reportcard.Message{Offset: n, Data: p.Data})
	}
	card.SetTeam(cmp.Or(card.OwnName(), "team"))
	input.Cards = []reportcard.Report{card.Report()}
	input.judge(nil)
	return input, nil
}

// sideOf returns the side whose log has this name; "" where it does not say.
func sideOf(name string) string {
	switch lower := strings.ToLower(name); {
	case strings.HasSuffix(lower, ".a.msl"):
		return "A"
	case strings.HasSuffix(lower, ".b.msl"):
		return "B"
	}
	return ""
}

// teamLog is a team's log in a zip, or by itself.
type teamLog struct {
	name string
	side string
	open func() (io.ReadCloser, error)
}

// checkZip checks the teams' logs of a RefBox's zip. A zip is read from its end: what is no file is copied to one.
func checkZip(file *os.File, r io.Reader) ([]reportcard.Report, error) {
	info, err := file.Stat()
	if file == os.Stdin || err != nil || !info.Mode().IsRegular() {
		if file, err = os.CreateTemp("", "touchline-check-*.zip"); err != nil {
			return nil, err
		}
		defer os.Remove(file.Name())
		defer file.Close()
		if _, err = io.Copy(file, r); err != nil {
			return nil, err
		}
		if info, err = file.Stat(); err != nil {
			return nil, err
		}
	}
	if info.Size() > maxInput {
		return nil, errors.New("is a zip of more than 1 GiB")
	}
	z, err := zip.NewReader(file, info.Size())
	if err != nil {
		return nil, fmt.Errorf("is a broken zip: %w", err)
	}
	var logs []teamLog
	for _, f := range z.File {
		name := path.Base(strings.ReplaceAll(f.Name, `\`, "/"))
		same := func(l teamLog) bool { return l.name == name } // the first one counts, as for all who read logs here
		if side := sideOf(name); side != "" && name[0] != '.' && len(logs) < maxTeamLogs && !slices.ContainsFunc(logs, same) {
			logs = append(logs, teamLog{name, side, f.Open})
		}
	}
	if len(logs) == 0 {
		return nil, errors.New("is a zip without .A.msl and .B.msl: no log of a RefBox")
	}
	slices.SortStableFunc(logs, func(a, b teamLog) int { return strings.Compare(a.name, b.name) })
	return checkTeamLogs(logs)
}

// checkTeamLogs checks teams' logs side by side. What cannot be read of one is said on its card; where nothing can be read
// of any there are none, but an error.
func checkTeamLogs(logs []teamLog) ([]reportcard.Report, error) {
	cards := make([]*reportcard.Card, len(logs))
	errs := make([]error, len(logs))
	var all errgroup.Group
	all.SetLimit(2)
	for i, l := range logs {
		all.Go(func() error {
			cards[i], errs[i] = checkTeamLog(l)
			return nil
		})
	}
	_ = all.Wait()
	if len(cards) == 2 {
		reportcard.Compare(cards[0], cards[1])
	}
	var reports []reportcard.Report
	var messages uint64
	for i, c := range cards {
		reports = append(reports, c.Report())
		reports[i].Side = logs[i].side
		messages += reports[i].Messages
	}
	if messages > 0 {
		return reports, nil
	}
	return reports, errors.Join(errs...)
}

// checkTeamLog checks one team's log.
func checkTeamLog(l teamLog) (*reportcard.Card, error) {
	name := ""
	card := reportcard.New("", soccer.Field{})
	r, err := l.open()
	if err == nil {
		err = readAhead(&atMost{r, maxInput}, func(s *reportcard.Message, team string) {
			if name == "" {
				name = team
			}
			card.Add(s)
		})
		r.Close()
	}
	switch {
	case reportcard.Torn(err):
		card.Tear()
		err = nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("it is shorter than the zip says: the zip is damaged")
	}
	if err != nil && l.name != "" {
		err = fmt.Errorf("%s: %w", l.name, err)
	}
	if err != nil {
		card.Fail(err.Error())
	}
	card.SetTeam(strings.ToValidUTF8(cmp.Or(name, card.OwnName(), l.side, "team"), "?"))
	return card, err
}

// batch is messages of a team's log, whose bytes lie one behind the other.
type batch struct {
	said  []reportcard.Message
	teams []string
	bytes []byte
}

// readAhead does what reportcard.ReadTeamLog does, and unpacks and cuts the log meanwhile.
func readAhead(r io.Reader, add func(s *reportcard.Message, team string)) error {
	const size = 1 << 18
	full, empty := make(chan *batch, 2), make(chan *batch, 2)
	empty <- &batch{bytes: make([]byte, 0, 2*size)}
	empty <- &batch{bytes: make([]byte, 0, 2*size)}
	failed := make(chan error, 1)
	go func() {
		b := <-empty
		err := reportcard.ReadTeamLog(r, func(s *reportcard.Message, team string) {
			kept, at := *s, len(b.bytes)
			b.bytes = append(b.bytes, s.Data...) // what was kept before stays where it is, even if this takes new memory
			kept.Data = b.bytes[at:]
			b.said, b.teams = append(b.said, kept), append(b.teams, team)
			if len(b.bytes) >= size {
				full <- b
				b = <-empty
				b.said, b.teams, b.bytes = b.said[:0], b.teams[:0], b.bytes[:0]
			}
		})
		full <- b
		close(full)
		failed <- err
	}()
	for b := range full {
		for i := range b.said {
			add(&b.said[i], b.teams[i])
		}
		empty <- b
	}
	return <-failed
}

// checkMessages checks what a base station sent: one message, several closed by NULs, or several one after the other.
func checkMessages(r *bufio.Reader) ([]reportcard.Report, error) {
	card := reportcard.New("team", soccer.Field{})
	var head bytes.Buffer // a message that may be the only one
	if _, err := io.CopyN(&head, r, msl.MaxMessage+1); err != nil && err != io.EOF {
		return nil, err
	}
	text := bytes.TrimPrefix(head.Bytes(), []byte("\xef\xbb\xbf"))
	whole := head.Len() <= msl.MaxMessage
	all := io.MultiReader(bytes.NewReader(text), r)
	var err error
	switch {
	case whole && bytes.IndexByte(text, 0) < 0 && records(text) < 2:
		text = bytes.TrimSpace(text)
		card.Add(&reportcard.Message{Line: 1, Data: text})
	case bytes.IndexByte(text, 0) >= 0:
		err = reportcard.ReadStream(all, card.Add)
	default:
		return checkTeamLogs([]teamLog{{open: func() (io.ReadCloser, error) { return io.NopCloser(all), nil }}})
	}
	card.SetTeam(cmp.Or(card.OwnName(), "team"))
	return []reportcard.Report{card.Report()}, err
}

// records returns how many objects text has, up to two.
func records(text []byte) (n int) {
	for n < 2 {
		advance, token, err := msl.SplitRecords(text, true)
		if err != nil || token == nil || advance == 0 {
			break
		}
		text = text[advance:]
		n++
	}
	return n
}

// printCards writes the cards of one input for people.
func (i *checkInput) printCards(b *strings.Builder) {
	fmt.Fprintf(b, "%s (%s):\n", i.Name, i.Kind)
	var verdicts []string
	var messages uint64
	for k := range i.Cards {
		c := &i.Cards[k]
		printCard(b, c)
		messages += c.Messages
		wrong := 0
		for _, f := range c.Findings {
			if !f.Note {
				wrong++
			}
		}
		if c.Error != "" {
			wrong++
		}
		if wrong > 0 {
			verdicts = append(verdicts, fmt.Sprintf("%s with %s", count(uint64(wrong), "thing"), reportcard.Plain(c.Team)))
		}
	}
	switch {
	case len(verdicts) > 0:
		fmt.Fprintf(b, "WRONG: %s\n", strings.Join(verdicts, ", "))
	case len(i.Cards) == 0:
		b.WriteString("NOT CHECKED: no base station connected: does it know this address, and is there a firewall?\n")
	case !i.Report.OK:
		fmt.Fprintf(b, "NOT CHECKED: a team without a message; nothing wrong with the %s of the others\n", count(messages, "message"))
	default:
		fmt.Fprintf(b, "OK: nothing wrong with %s\n", count(messages, "message"))
	}
}

// writePage writes the report as a page to a file, or to out for "-".
func (r *checkReport) writePage(name string, out io.Writer) error {
	var page reportcard.Page
	var names []string
	var plain strings.Builder
	for i := range r.Inputs {
		input := &r.Inputs[i]
		names = append(names, filepath.Base(input.Name))
		for _, c := range input.Cards {
			page.Cards = append(page.Cards, reportcard.PageCard{Input: input.Name, Report: c})
		}
		if !input.stations() {
			input.print(&plain)
		}
	}
	page.Title, page.Plain = "What teams sent: "+strings.Join(names, ", "), plain.String()
	if name == "-" {
		return reportcard.WriteHTML(out, &page)
	}
	file, err := os.Create(name)
	if err != nil {
		return exitError{2, fmt.Errorf("--html: %w", err)}
	}
	err = reportcard.WriteHTML(file, &page)
	if err = errors.Join(err, file.Close()); err != nil {
		return exitError{2, fmt.Errorf("--html: %w", err)}
	}
	return nil
}

// printCard writes one team's card for people.
func printCard(b *strings.Builder, c *reportcard.Report) {
	fmt.Fprintf(b, "  %s: %s", strings.TrimSpace(c.Side+" "+reportcard.Plain(c.Team)), count(c.Worldstates, "worldstate"))
	if c.Events > 0 {
		fmt.Fprintf(b, ", %s", count(c.Events, "event"))
	}
	if c.Broken > 0 {
		fmt.Fprintf(b, ", %d unreadable", c.Broken)
	}
	if c.Rate != nil {
		fmt.Fprintf(b, " in %.0f s, %.1f Hz, gap p50 %.0f ms, p99 %.0f, longest %.0f", c.Seconds, *c.Rate, *c.GapP50, *c.GapP99, *c.GapMax)
	}
	if c.AgeP50 != nil {
		fmt.Fprintf(b, ", age p50 %.0f ms, largest %.0f", *c.AgeP50, *c.AgeMax)
	}
	b.WriteString("\n")
	if c.Messages == 0 {
		b.WriteString("    no message\n")
	}
	if c.Filled > 0 {
		fmt.Fprintf(b, "    %s filled in by the referee box: no worldstate came in them\n", count(c.Filled, "window"))
	}
	if c.Error != "" {
		fmt.Fprintf(b, "    the rest could not be read: %s\n", reportcard.Plain(c.Error))
	}
	if c.Torn {
		b.WriteString("    the input ends in the middle of a message\n")
	}
	for i := range c.Findings {
		printCardFinding(b, c.Rate != nil, &c.Findings[i])
	}
}

func printCardFinding(b *strings.Builder, timed bool, f *reportcard.Finding) {
	what := "wrong"
	if f.Note {
		what = "note"
	}
	fmt.Fprintf(b, "    %-5s %6d x  %s (%.3g %%): %s (%s)\n", what, f.Count, f.Rule, 100*f.Share, reportcard.Plain(f.Text), f.Source)
	const indent = "                  "
	var where []string
	if timed {
		where = append(where, fmt.Sprintf("at %.2f s", f.Time))
	}
	if f.Game > 0 {
		where = append(where, fmt.Sprintf("game clock %d:%02d", int(f.Game)/60, int(f.Game)%60))
	}
	if f.Line > 0 {
		where = append(where, fmt.Sprintf("line %d, byte %d", f.Line, f.First+int64(f.Offset)))
	} else {
		where = append(where, fmt.Sprintf("message %d, byte %d", f.First, f.Offset))
	}
	fmt.Fprintf(b, "%sfirst %s:\n", indent, strings.Join(where, ", "))
	if f.Excerpt != "" {
		at := utf8.RuneCountInString(f.Excerpt[:f.At])
		n := max(utf8.RuneCountInString(f.Excerpt[f.At:f.At+f.Len]), 1)
		fmt.Fprintf(b, "%s  %s\n%s  %s%s\n", indent, f.Excerpt, indent, strings.Repeat(" ", at), strings.Repeat("^", n))
	}
	if f.Fix != "" {
		fmt.Fprintf(b, "%s%s\n", indent, f.Fix)
	}
}
