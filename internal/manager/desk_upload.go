package manager

import (
	"errors"
	"fmt"

	"touchline/soccer"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

const (
	maxRounds  = 500 // of missing chunks, 64 in each: then the robot does not take the file
	chunkBurst = 12  // chunks that leave in a step: 600 kB/s at 20 ms
)

// upload is a file on its way to the robot.
type upload struct {
	outgoing
	left    []uint32 // chunks that are to be sent
	by      *page
	asking  bool // the robot was asked what is missing
	rounds  int  // in which chunks were missing
	outcome string
}

// SendFile sends a file, for example ColorsFile, to a robot for a page that holds its control: the robot adopts it.
func (d *Desk) SendFile(id uint8, of uint32, name string, data []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(data) == 0 || len(data) > MaxFile {
		return fmt.Errorf("manager: %s has %d bytes: want 1 to %d", name, len(data), MaxFile)
	}
	if r := d.known(id); r != nil {
		if p := r.page(of); p != nil {
			return r.startUpload(p, name, data)
		}
	}
	return errPage
}

// startUpload begins to send a file to the robot.
func (r *record) startUpload(p *page, name string, data []byte) error {
	if r.upload.by != nil {
		return errors.New("manager: another file is on its way to this robot: wait until it arrived")
	}
	u := upload{by: p, outgoing: newOutgoing(max(1, r.desk.rng.Uint64()), name, data)}
	for i := range u.file.Count() {
		u.left = append(u.left, i)
	}
	r.upload = u
	return nil
}

// sendChunks sends some of the chunks that are left, and then asks what is missing.
func (r *record) sendChunks(now soccer.Time, send Send) {
	u := &r.upload
	if u.by == nil || u.asking {
		return
	}
	n := min(chunkBurst, len(u.left))
	for _, i := range u.left[:n] {
		send(tcm.Entity{Kind: tcm.Robot, ID: r.id}, u.chunk(i))
	}
	if u.left = u.left[n:]; len(u.left) == 0 {
		u.asking = true
		r.askUpload(now, team.Verify)
	}
}

// askUpload asks the robot about the file.
func (r *record) askUpload(now soccer.Time, o team.Operation) {
	u := &r.upload
	if err := r.ask(now, u.by, request{Request: team.Request{Operation: o, ID: u.file.Transfer}}); err != nil {
		u.fail(err.Error())
	}
}

// verified takes the answer to the question what is missing. It reports false for other answers, and where the transfer
// failed.
func (r *record) verified(now soccer.Time, p *page, m *team.Answer) bool {
	u := &r.upload
	if p.queue[0].Operation != team.Verify || u.by != p || p.queue[0].ID != u.file.Transfer {
		return false
	}
	switch m.Result {
	case team.Missing:
		if u.rounds++; u.rounds > maxRounds {
			return false
		}
		for _, i := range m.Missing {
			if i < u.file.Count() {
				u.left = append(u.left, i)
			}
		}
		u.asking = false
		return true
	case team.Done:
		r.askUpload(now, team.Adopt)
		return true
	}
	return false
}

// end ends the upload with the answer of the robot.
func (u *upload) end(result, text string) {
	if u.by != nil {
		*u = upload{outcome: outcome(result, text)}
	}
}

// outcome returns a result with the text that explains it.
func outcome(result, text string) string {
	if text != "" {
		return result + ": " + text
	}
	return result
}

// fail ends an upload that was under way.
func (u *upload) fail(text string) { u.end("failed", text) }

// words returns what became of the upload, or how far it is.
func (u *upload) words() string {
	switch {
	case u.by == nil:
		return u.outcome
	case u.asking:
		return "the robot checks the file"
	}
	return fmt.Sprintf("%d of %d kB sent", (len(u.data)-len(u.left)*team.MinChunk)/1000, len(u.data)/1000)
}
