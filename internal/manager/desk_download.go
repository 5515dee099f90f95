package manager

import (
	"cmp"
	"fmt"
	"time"

	"touchline/internal/robot/hfsm"
	"touchline/soccer"
	"touchline/wire/team"
)

const (
	chunksWithin = 100 * time.Millisecond // after its answer, for the chunks of a window
	maxAnswers   = 150                    // 32 windows are the longest file: the robot does not send one
)

// download is a file of a robot on its way to the desk: the sheet of its state machine, or its colour table.
type download struct {
	by       *page // nil: none is under way
	name     string
	transfer uint64
	incoming
	until   uint32      // index after the chunks that were asked for
	due     soccer.Time // when the next ones are asked for; 0: the answer is on its way
	answers int

	sheet  *hfsm.Sheet // the newest one
	fault  string      // why there is no newer one
	colors []byte      // the colour table that the robot sees by, as far as is known; nil: it is not
}

// SheetView is the topic "machine/ID": the state machine of a robot, for an editor.
type SheetView struct {
	Robot uint8       `json:"robot"`
	State string      `json:"state"` // "none", "asking", "here" or "failed"
	Text  string      `json:"text"`  // why it failed
	Sheet *hfsm.Sheet `json:"sheet"` // the newest one; null: none yet
}

// fetch asks the robot for a file: without a name the sheet of its state machine. A page that asks while it is on its way
// waits for it, too.
func (c *call) fetch() error {
	d, name := &c.robot.download, cmp.Or(c.File, hfsm.SheetFile)
	switch {
	case name != hfsm.SheetFile && name != ColorsFile:
		return fmt.Errorf("manager: file %.40q: want %s or %s", name, hfsm.SheetFile, ColorsFile)
	case d.by != nil && d.name != name:
		return fmt.Errorf("manager: %s is on its way from this robot: wait until it arrived", d.name)
	case d.by != nil:
		return nil
	}
	*d = download{by: c.page, name: name, transfer: max(1, c.robot.desk.rng.Uint64()), sheet: d.sheet, colors: d.colors}
	return c.robot.askChunks(c.now)
}

// askChunks asks for the first chunk that is missing, and those after it.
func (r *record) askChunks(now soccer.Time) error {
	d := &r.download
	first := d.first()
	d.due, d.until = 0, first+team.FetchWindow
	err := r.ask(now, d.by, request{Request: team.Request{
		Operation: team.Fetch, ID: d.transfer, Text: d.name, Value: float32(first),
	}})
	if err != nil {
		d.fail(err.Error())
	}
	return err
}

// fail ends a download that is under way.
func (d *download) fail(text string) {
	switch {
	case d.by == nil:
	case d.name == ColorsFile:
		*d = download{sheet: d.sheet, fault: d.fault}
	default:
		*d = download{sheet: d.sheet, colors: d.colors, fault: text}
	}
}

// fetched takes the answer to a request for chunks. It reports false for other answers.
func (r *record) fetched(now soccer.Time, p *page, m *team.Answer) bool {
	d := &r.download
	if p.queue[0].Operation != team.Fetch {
		return false
	}
	switch {
	case d.by != p || p.queue[0].ID != d.transfer: // an earlier one
	case m.Result != team.Done:
		d.fail(m.Text)
	default:
		if d.due = now.Add(chunksWithin); d.first() >= d.until {
			d.due = now // they overtook the answer
		}
		if d.answers++; d.answers > maxAnswers {
			d.fail("the robot does not send its file")
		}
	}
	return true
}

// receiveFile receives a chunk of a file that a page asked for.
func (r *record) receiveFile(now soccer.Time, m *team.File) {
	d := &r.download
	if d.by == nil || m.Transfer != d.transfer || m.Size > MaxFile {
		return
	}
	if !d.holds(m) { // none arrived, or the file changed
		d.begin(m)
	}
	d.add(m)
	switch first := d.first(); {
	case first == m.Count():
		d.finish()
	case d.due > 0 && first >= d.until:
		_ = r.askChunks(now) // its failure is the download's
	}
}

// finish reads the complete file.
func (d *download) finish() {
	if !d.intact() {
		d.fail("the checksum of the robot's file is wrong")
		return
	}
	if d.name == ColorsFile {
		*d = download{sheet: d.sheet, fault: d.fault, colors: d.data}
		return
	}
	sheet, err := hfsm.ParseSheet(d.data)
	if err != nil {
		d.fail(err.Error())
		return
	}
	*d = download{sheet: sheet, colors: d.colors}
}

// watchDownload asks for chunks that did not arrive in time.
func (r *record) watchDownload(now soccer.Time) {
	if d := &r.download; d.by != nil && d.due > 0 && now >= d.due {
		_ = r.askChunks(now)
	}
}

// SheetView returns the topic "machine/ID", or nil for an unknown robot.
func (d *Desk) SheetView(id uint8) *SheetView { return of(d, id, (*record).sheetView) }

func (r *record) sheetView() *SheetView {
	v := &SheetView{Robot: r.id, State: "none", Text: r.download.fault, Sheet: r.download.sheet}
	switch {
	case r.download.by != nil && r.download.name == hfsm.SheetFile:
		v.State = "asking"
	case v.Text != "":
		v.State = "failed"
	case v.Sheet != nil:
		v.State = "here"
	}
	return v
}

// Colors returns the file of the colour table that a robot sees by; nil: it is not known. It is not to be changed.
func (d *Desk) Colors(id uint8) []byte {
	return of(d, id, func(r *record) []byte { return r.download.colors })
}

// CheckMachine is the name of the command that checks a state machine: it has the keys robot, page and machine.
const CheckMachine = "robot-check-machine"

// MachineCheck is the answer to CheckMachine.
type MachineCheck struct {
	Faults  []hfsm.Fault      `json:"faults"`
	Changes []hfsm.Difference `json:"changes"` // of the machine that the robot executes; null: that is not known
}

// Check returns the faults of a state machine, those of its text included, with the robot's vocabulary if that is known,
// and what it changes of the machine that the robot executes, if that was fetched.
func (d *Desk) Check(text []byte) (*MachineCheck, error) {
	var of struct {
		Robot   uint8        `json:"robot"`
		Page    uint32       `json:"page"`
		Machine hfsm.Machine `json:"machine"`
	}
	if err := decode(text, CheckMachine, &of); err != nil {
		return nil, err
	}
	d.mu.Lock()
	sheet, runs := new(hfsm.Sheet), uint32(0)
	r := d.known(of.Robot)
	fetched := r != nil && r.download.sheet != nil
	if fetched {
		sheet, runs = r.download.sheet, r.report.Machine
	}
	d.mu.Unlock()
	c := &MachineCheck{Faults: of.Machine.Faults(sheet.Conditions, sheet.Behaviours)}
	if c.Faults == nil {
		c.Faults = []hfsm.Fault{}
	}
	switch m := &of.Machine; {
	case !fetched || len(m.States) > hfsm.MaxStates || len(m.Transitions) > hfsm.MaxTransitions:
	case runs == 0:
		c.Changes = []hfsm.Difference{{Text: "the robot executes no state machine"}}
	case sheet.Machine != nil && sheet.Machine.Checksum() == runs:
		c.Changes = hfsm.Compare(sheet.Machine, m)
	}
	return c, nil
}
