package camera

import (
	"math/rand/v2"

	"touchline/internal/exact"
	"touchline/soccer"
)

// Venue is all that stands still around a field: the floor, goals, boards with posters, stands, people beside the field.
// It never changes, so several Renderers may share one.
type Venue struct {
	Field      soccer.Field
	BallRadius float64 // m

	ballColor light
	body      bodyForm
	floor     *floor
	walls     walls
	standing  []shape // goals and people
}

// bodyForm is how robots look.
type bodyForm struct {
	radius, height        float64 // m
	color                 light
	markLow, markHigh     float64 // m, of the ring in the team's colour
	mastRadius, mastWidth float64 // m, of the mirror's mast, and of the mirror; 0: none
	team                  [2]light
}

// MSLVenue returns a hall with a field of the Middle Size League: white goals with nets, an orange ball, black robots
// with cyan or magenta rings. The seed chooses posters and people. Posters show orange discs of the ball's size.
func MSLVenue(field soccer.Field, seed uint64) *Venue {
	h := &Venue{Field: field, BallRadius: soccer.BallRadius, ballColor: orangeColor}
	h.body = bodyForm{
		radius: 0.25, height: 0.6, color: blackColor, markLow: 0.42, markHigh: 0.54,
		mastRadius: 0.035, mastWidth: 0.09, team: [2]light{cyanColor, magentaColor},
	}
	r := rand.New(rand.NewPCG(seed, 0xca3e7a))
	h.build(r)
	h.addGoal(1, postColor, false)
	h.addGoal(-1, postColor, false)
	h.addPeople(r, 10)
	return h
}

// FourLeggedVenue returns a hall with a field of the Four-Legged League of 2005: goals of solid sky-blue and yellow, a
// smaller orange ball, white robots with red or blue marks.
func FourLeggedVenue(seed uint64) *Venue {
	h := &Venue{Field: soccer.FourLegged(), BallRadius: soccer.FourLeggedBallRadius, ballColor: orangeColor}
	h.body = bodyForm{
		radius: 0.1, height: 0.26, color: srgb(0xb8bcc0), markLow: 0.1, markHigh: 0.16,
		team: [2]light{srgb(0x2440b0), srgb(0xb81c30)},
	}
	r := rand.New(rand.NewPCG(seed, 0xa1b0))
	h.build(r)
	h.addGoal(1, skyBlueColor, true)
	h.addGoal(-1, yellowColor, true)
	h.addPeople(r, 6)
	return h
}

func (h *Venue) build(r *rand.Rand) {
	h.floor = newFloor(&h.Field, r)
	h.walls = newWalls(h.floor.halfLength+1.6, h.floor.halfWidth+1.6, h.BallRadius, r)
}

// addGoal adds the goal at the end x > 0 (side 1) or x < 0 (side -1): posts, a bar and a net, or solid walls.
func (h *Venue) addGoal(side float64, color light, solid bool) {
	f := &h.Field
	thick := f.LineWidth
	front := float64(side * f.Length * 0.5)
	back := front + float64(side*f.GoalDepth)
	half := float64(f.GoalWidth * 0.5)
	opacity := uint32(70)
	if solid {
		opacity = 256
	}
	panel := func(x0, y0, x1, y1, low, high float64, opacity uint32) {
		h.standing = append(h.standing, shape{
			kind: panel, from: soccer.Vec{X: x0, Y: y0}, to: soccer.Vec{X: x1, Y: y1}, low: low, high: high, color: color,
			opacity: opacity, thing: Goal,
		})
	}
	panel(back, -half, back, half, 0, f.GoalHeight, opacity)
	for _, y := range []float64{-half, half} {
		panel(front, y, back, y, 0, f.GoalHeight, opacity)
	}
	if solid {
		return
	}
	radius := float64(thick * 0.5)
	for _, y := range []float64{-half - radius, half + radius} {
		h.standing = append(h.standing, shape{
			kind: pillar, from: soccer.Vec{X: front, Y: y}, radius: radius, high: f.GoalHeight, color: color, opacity: 256,
			thing: Goal,
		})
	}
	panel(front, -half, front, half, f.GoalHeight, f.GoalHeight+thick, 256)
}

// addPeople places people between the field and the boards. Some wear orange shoes or shirts.
func (h *Venue) addPeople(r *rand.Rand, n int) {
	shirts := []light{
		srgb(0xc83030), srgb(0x3050a8), srgb(0xd8d8d8), srgb(0x282828), srgb(0xe07818), srgb(0x486048), srgb(0x806090),
	}
	for i := range n {
		x := float64(h.floor.halfLength * (2*exact.Uniform(r) - 1))
		y := h.floor.halfWidth + 0.5 + float64(0.5*exact.Uniform(r))
		if i%2 == 1 {
			y = -y
		}
		shoes := srgb(0x303030)
		if i%4 == 0 {
			shoes = orangeColor
		}
		h.standing = appendPerson(h.standing, soccer.Vec{X: x, Y: y}, shirts[r.Uint64()%uint64(len(shirts))], shoes)
	}
}

// appendPerson appends the shapes of a person.
func appendPerson(all []shape, at soccer.Vec, shirt, shoes light) []shape {
	part := func(low, high, radius float64, color light) {
		all = append(all, shape{kind: pillar, from: at, low: low, high: high, radius: radius, color: color, opacity: 256})
	}
	part(0, 0.09, 0.13, shoes)
	part(0.09, 0.85, 0.14, srgb(0x2c3448))
	part(0.85, 1.45, 0.22, shirt)
	part(1.45, 1.52, 0.06, skinColor)
	return append(all, shape{kind: ball, from: at, low: 1.62, radius: 0.11, color: skinColor, opacity: 256})
}

// walls is the inside of the hall: boards with posters, above them stands with people, then a dark wall with lamps.
type walls struct {
	halfLength, halfWidth float64
	columns               int
	texels                []uint8 // indices of palette
	palette               []light
}

const (
	wallScale = 25 // texels a metre
	wallRows  = 7 * wallScale
	boardTop  = 1.0 // m
	standTop  = 4.5 // m
)

// wallPalette are the colours of walls; the first ones have fixed meanings.
const (
	wallDark = iota
	wallLamp
	wallBoard
	wallStand
	wallOrange
	wallOther // first of the colours for shirts and letters
)

func newWalls(halfLength, halfWidth, ballRadius float64, r *rand.Rand) walls {
	w := walls{halfLength: halfLength, halfWidth: halfWidth}
	w.columns = int(4 * (halfLength + halfWidth) * wallScale)
	w.texels = make([]uint8, w.columns*wallRows)
	w.palette = []light{
		srgb(0x4c5058), lightOf(32767, 32767, 31000), srgb(0xdcdcd8), srgb(0x6a6460), orangeColor,
		srgb(0xc83030), srgb(0x3050a8), srgb(0xe8e8e0), srgb(0x282828), srgb(0xd8a020), srgb(0x507850), skinColor,
	}
	w.fill(0, w.columns, 0, boardTop*wallScale, wallBoard)
	w.fill(0, w.columns, boardTop*wallScale, standTop*wallScale, wallStand)
	w.addPosters(ballRadius, r)
	w.addCrowd(r)
	for x := 0; x < w.columns; x += 4 * wallScale {
		w.fill(x, x+2*wallScale, 6*wallScale, 6.3*wallScale, wallLamp)
	}
	return w
}

func (w *walls) fill(x0, x1 int, y0, y1 float64, color uint8) {
	for y := max(int(y0), 0); y < min(int(y1), wallRows); y++ {
		for x := max(x0, 0); x < min(x1, w.columns); x++ {
			w.texels[y*w.columns+x] = color
		}
	}
}

func (w *walls) disc(cx, cy, radius float64, color uint8) {
	for y := max(int(cy-radius), 0); y <= min(int(cy+radius), wallRows-1); y++ {
		for x := max(int(cx-radius), 0); x <= min(int(cx+radius), w.columns-1); x++ {
			u, v := float64(x)+0.5-cx, float64(y)+0.5-cy
			if float64(u*u)+float64(v*v) < float64(radius*radius) {
				w.texels[y*w.columns+x] = color
			}
		}
	}
}

// addPosters puts a poster on each third metre of the boards: an orange disc like a ball, or letters on a colour.
func (w *walls) addPosters(ballRadius float64, r *rand.Rand) {
	for x := wallScale / 2; x+2*wallScale < w.columns; x += 3 * wallScale {
		ground := uint8(wallOther + r.Uint64()%6)
		w.fill(x, x+2*wallScale, 0.1*wallScale, 0.9*wallScale, ground)
		if r.Uint64()&1 == 0 {
			radius := max(float64(ballRadius*wallScale*(0.8+float64(0.8*exact.Uniform(r)))), 2)
			for k := range 2 {
				centre := float64(x) + float64(wallScale*(0.5+float64(k)))
				w.disc(centre, wallScale*(0.3+float64(0.3*exact.Uniform(r))), radius, wallOrange)
			}
			continue
		}
		for k := range 7 { // letters
			w.fill(x+6*k+5, x+6*k+8, 0.3*wallScale, 0.7*wallScale, wallOther+2)
		}
	}
}

// addCrowd seats people in the stands.
func (w *walls) addCrowd(r *rand.Rand) {
	for row := 1.3; row < standTop-0.5; row += 0.8 {
		for x := 0; x < w.columns-20; x += 14 + int(r.Uint64()%12) {
			if r.Uint64()%3 == 0 {
				continue
			}
			y := float64(row * wallScale)
			w.fill(x, x+11, y, y+12, uint8(wallOther+r.Uint64()%6))
			w.disc(float64(x)+5.5, y+15, 3.2, wallOther+6)
		}
	}
}

// light returns what a ray from a place inside the hall meets on the walls or beyond.
func (w *walls) light(from *soccer.Vec3, dx, dy, dz float64) light {
	t, along := 1e9, 0.0
	if dx != 0 {
		side := w.halfLength
		if dx < 0 {
			side = -side
		}
		t = (side - from.X) / dx
		along = from.Y + float64(t*dy) + w.halfWidth
		if dx < 0 {
			along += 2 * w.halfWidth
		}
	}
	if dy != 0 {
		side := w.halfWidth
		if dy < 0 {
			side = -side
		}
		if u := (side - from.Y) / dy; u < t {
			t, along = u, from.X+float64(u*dx)+w.halfLength+float64(4*w.halfWidth)
			if dy < 0 {
				along += 2 * w.halfLength
			}
		}
	}
	row := int((from.Z + float64(t*dz)) * wallScale)
	if row >= wallRows || t < 0 {
		return w.palette[wallDark]
	}
	column := min(max(int(along*wallScale), 0), w.columns-1)
	return w.palette[w.texels[max(row, 0)*w.columns+column]]
}
