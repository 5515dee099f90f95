package manager

import (
	"fmt"

	"touchline/soccer"
	"touchline/wire/team"
)

// PictureChoice is which pictures are wanted.
type PictureChoice struct {
	Rate    uint8  `json:"rate"`    // a second, 1 to 60; 0: none
	Format  string `json:"format"`  // "jpeg", "ycbcr" or "classes". Default "jpeg"
	Quality uint8  `json:"quality"` // of JPEG. Default 75
	Divisor uint8  `json:"divisor"` // Default 1
	X       uint16 `json:"x"`       // of the region; width and height 0: the whole picture
	Y       uint16 `json:"y"`
	Width   uint16 `json:"width"`
	Height  uint16 `json:"height"`
}

// wish is what pictures a page wants.
type wish struct {
	PictureChoice
	Overlay bool `json:"overlay"`
	// Choice changes with each choice that the operator makes. Default 0: none yet
	Choice uint32 `json:"choice"`
}

// PicturesView is what pictures the program asks a robot for. A robot sends one stream: where several pages look, the
// page whose operator chose last decides on all but the rate, which is the greatest.
type PicturesView struct {
	Pages int    `json:"pages"` // of this program that look
	Page  uint32 `json:"page"`  // whose choice it is; 0: of nobody, it is recorded
	By    string `json:"by"`    // its operator
	PictureChoice
	Record uint8 `json:"record"` // pictures a second that are recorded; 0: none
}

// setWish sets what the page wants; nil: no pictures.
func (p *page) setWish(now soccer.Time, of *wish) error {
	p.picture = team.PictureWish{}
	if of == nil {
		return nil
	}
	w := team.PictureWish{Rate: of.Rate, Quality: of.Quality, Divisor: max(1, of.Divisor),
		X: of.X, Y: of.Y, Width: of.Width, Height: of.Height, Overlay: of.Overlay}
	switch of.Format {
	case "", "jpeg":
		if w.Quality == 0 {
			w.Quality = 75
		}
	case "ycbcr":
		w.Format, w.Quality = team.YCbCr, 0
	case "classes":
		w.Format, w.Quality = team.Classes, 0
	default:
		return fmt.Errorf("manager: format %.40q: want jpeg, ycbcr or classes", of.Format)
	}
	if w.Rate > team.MaxRate || w.Quality > 100 || w.Divisor > 8 {
		return fmt.Errorf("manager: picture: want a rate up to %d, a quality up to 100 and a divisor up to 8", team.MaxRate)
	}
	if of.Choice != p.choice {
		p.choice, p.chose = of.Choice, now
	}
	p.picture = w
	return nil
}

// Record asks robots for pictures to record, rate a second; 0 ends it. Pages that look may choose others.
func (d *Desk) Record(rate uint8, robots ...uint8) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range robots {
		if r := d.robot(id); r != nil && r.record != rate {
			r.record, r.attended = rate, 0
		}
	}
}

// wish returns what pictures this computer wants of the robot, the page that chose them, and how many pages look.
func (r *record) wish(now soccer.Time) (w team.PictureWish, by *page, pages int) {
	var rate uint8
	overlay := r.record > 0
	for _, p := range r.pages {
		if p.picture.Rate == 0 || now.Sub(p.seen) > PageFor {
			continue
		}
		pages++
		rate, overlay = max(rate, p.picture.Rate), overlay || p.picture.Overlay
		if by == nil || p.chose > by.chose {
			by, w = p, p.picture
		}
	}
	if by == nil && r.record > 0 {
		w = team.PictureWish{Quality: 75, Divisor: 1}
	}
	w.Rate, w.Overlay = max(rate, r.record), overlay
	return w, by, pages
}

// picturesView returns what pictures the program asks the robot for.
func (r *record) picturesView(now soccer.Time) PicturesView {
	w, by, pages := r.wish(now)
	v := PicturesView{Pages: pages, Record: r.record, PictureChoice: PictureChoice{
		w.Rate, w.Format.String(), w.Quality, w.Divisor, w.X, w.Y, w.Width, w.Height,
	}}
	if by != nil {
		v.Page, v.By = by.id, by.name
	}
	return v
}
