package learnnet

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"touchline/internal/vss"
	"touchline/internal/vss/learn"
	"touchline/wire"
)

// Bounds of a program's requests.
const (
	maxLine   = 64 << 10 // bytes of a line: that of the largest state, with vision of 1 s in flight, has 58,000
	maxStates = 10_000   // saved at the same time
)

// The commands of one byte.
const (
	stepCommand  = 's' // all games do a step with their actions
	resetCommand = 'r' // the games of the mask begin the first episode of their seeds
)

// okAnswer is the answer to a command of one byte that was carried out.
const okAnswer = '.'

// server is the games of one program.
type server struct {
	cfg    learn.Config
	layout *layout
	memory *shared
	games  []game
	inputs []float32   // actions of all games
	start  *vss.Lineup // start positions of the next resets; nil for those of cfg
	states map[uint64]*learn.State
	saved  uint64 // number of the last saved state
	*workers
}

// game is a game of a server.
type game struct {
	*learn.Game
	err error // why it could not begin its episode
}

// ErrAnswered is the error for a configuration or a command byte that Serve refused, and told the program so.
var ErrAnswered = errors.New("refused")

// errBlock is the error of a block whose file another program made shorter: its memory is gone.
var errBlock = errors.New("the file of the block became shorter while the games were in it: a program truncated it; " +
	"start learn again")

// fault turns the panic of a goroutine that used memory of the block that is gone into errBlock. It is to be deferred
// after debug.SetPanicOnFault.
func fault(err *error) {
	r := recover()
	if _, ok := r.(interface{ Addr() uintptr }); ok {
		*err = errBlock
	} else if r != nil {
		panic(r)
	}
}

// refuse tells the program what is wrong, as {"error": text}.
func refuse(out io.Writer, err error) error {
	return errors.Join(fmt.Errorf("%w: %w", ErrAnswered, err), answer(out, map[string]string{"error": err.Error()}))
}

// Serve serves games to a program: it reads a line with a learn.Config from in, answers with the layout of the block,
// then carries out commands until in ends. The error is ErrAnswered, or of in or out.
func Serve(in io.Reader, out io.Writer) error {
	r := bufio.NewReaderSize(in, maxLine)
	s, err := open(r)
	if err != nil {
		return refuse(out, err)
	}
	defer s.close()
	if err := answer(out, s.describe()); err != nil {
		return err
	}
	for {
		command, err := r.ReadByte()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = s.guarded(command, r, out)
		}
		if errors.Is(err, errBlock) {
			return refuse(out, err)
		}
		if err != nil {
			return err
		}
	}
}

// guarded is handle that survives a block whose memory is gone.
func (s *server) guarded(command byte, r *bufio.Reader, out io.Writer) (err error) {
	debug.SetPanicOnFault(true) // of this goroutine
	defer fault(&err)
	return s.handle(command, r, out)
}

// answer writes a line of JSON.
func answer(out io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = out.Write(append(b, '\n'))
	return err
}

// readLine reads the rest of a line.
func readLine(r *bufio.Reader) ([]byte, error) {
	b, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		err = fmt.Errorf("a line of more than %d bytes", maxLine)
	}
	return b, err
}

func open(r *bufio.Reader) (*server, error) {
	line, err := readLine(r)
	if err != nil {
		return nil, fmt.Errorf("the first line, which describes the games: %w", err)
	}
	return newServer(line, func(l *layout) (*shared, error) { return newShared(l.size) })
}

// newServer starts the games of a configuration in JSON, with the memory that it gets for their layout.
func newServer(config []byte, memory func(*layout) (*shared, error)) (s *server, err error) {
	s = &server{states: map[uint64]*learn.State{}}
	if s.cfg, err = learn.ParseConfig(config); err != nil {
		return nil, err
	}
	if s.layout, err = newLayout(&s.cfg); err != nil {
		return nil, err
	}
	if s.memory, err = memory(s.layout); err != nil {
		return nil, err
	}
	s.games, s.inputs = make([]game, s.cfg.Games), make([]float32, s.cfg.Games*s.cfg.Actions())
	for i := range s.games {
		s.games[i].Game = learn.New(&s.cfg)
		if err := s.games[i].Reset(uint64(i), nil); err != nil {
			_ = s.memory.close() // the error of the configuration is the one that counts
			return nil, err
		}
	}
	s.layout.writeHeader(s.memory.data)
	for i := range s.games {
		s.show(i)
	}
	s.workers = hire(len(s.games), s.play)
	return s, nil
}

// description is the answer to the configuration.
type description struct {
	Version int      `json:"version"`
	Block   string   `json:"block"` // the file; the program removes it when it has mapped it
	Size    int      `json:"size"`
	Arrays  []Array  `json:"arrays"`
	Terms   []string `json:"terms"`
	Wheel   float64  `json:"wheel"` // rad/s of action 1
	Length  float64  `json:"length"`
	Width   float64  `json:"width"`
	Goal    float64  `json:"goal"`  // m, its width
	Depth   float64  `json:"depth"` // m, of the goal
	Area    area     `json:"area"`
	Circle  float64  `json:"circle"` // m, radius of the centre circle
	Cut     float64  `json:"cut"`    // m, leg of the walls that cut the corners
}

// area is the goal area in m.
type area struct {
	Length float64 `json:"length"`
	Width  float64 `json:"width"`
}

func (s *server) describe() description {
	field := s.cfg.Field()
	length, width := field.GoalArea()
	return description{
		Version: version, Block: s.memory.name, Size: s.layout.size, Arrays: s.layout.arrays(), Terms: learn.Terms[:],
		Wheel: s.cfg.WheelSpeed(), Length: field.Length, Width: field.Width, Goal: field.GoalWidth, Depth: field.GoalDepth,
		Area: area{length, width}, Circle: field.CircleRadius, Cut: field.CornerCut,
	}
}

// handle carries out a command and answers it.
func (s *server) handle(command byte, r *bufio.Reader, out io.Writer) error {
	switch command {
	case stepCommand, resetCommand:
		switch err := s.command(command); {
		case errors.Is(err, errBlock):
			return err
		case err != nil:
			return answer(out, map[string]string{"error": err.Error()})
		}
		_, err := out.Write([]byte{okAnswer})
		return err
	case '{':
		if err := r.UnreadByte(); err != nil {
			return err
		}
		line, err := readLine(r)
		if err != nil {
			return err
		}
		return answer(out, s.request(line))
	case '\n', ' ':
		return nil // so that a person can type commands
	}
	return refuse(out, fmt.Errorf("command %q: want %q (step), %q (reset), or a line of JSON", command, stepCommand, resetCommand))
}

// command lets all games do a step or begin an episode. Nothing happens if actions are not finite.
func (s *server) command(c byte) error {
	if c == stepCommand {
		if !getFloats(s.inputs, s.layout.actions.all(s.memory.data)) {
			return s.refuseActions()
		}
	}
	s.do(c)
	var errs []error
	for i := range s.games {
		if err := s.games[i].err; err != nil && len(errs) < 3 {
			errs = append(errs, fmt.Errorf("game %d: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

// refuseActions returns the error for actions of which some are not finite.
func (s *server) refuseActions() error {
	at := slices.IndexFunc(s.inputs, func(v float32) bool { return v-v != 0 })
	i := at / s.cfg.Actions()
	return fmt.Errorf("game %d: actions %v: want finite numbers; no game did a step", i, s.actions(i))
}

// actions returns the actions of a game.
func (s *server) actions(i int) []float32 {
	n := s.cfg.Actions()
	return s.inputs[i*n:][:n]
}

// play carries out a command for a game.
func (s *server) play(c byte, i int) {
	debug.SetPanicOnFault(true) // of this goroutine
	defer fault(&s.games[i].err)
	if c == stepCommand {
		s.step(i)
	} else {
		s.reset(i)
	}
}

// step lets a game do a step, or where the step before ended its episode and did not begin the next one, begins it.
func (s *server) step(i int) {
	g := &s.games[i]
	if g.err = nil; g.Done() && s.cfg.NextStep {
		g.err = g.Next()
	} else {
		g.Step(s.actions(i))
	}
	s.showResult(i)
	if g.Done() && s.cfg.Autoreset && !s.cfg.NextStep {
		s.observe(i, &s.layout.finals)
		g.err = g.Next()
	}
	s.show(i)
}

// showResult writes the outcome of a game's last step: zeros at the start of an episode.
func (s *server) showResult(i int) {
	l, block, result := s.layout, s.memory.data, s.games[i].Result()
	rewards, terms := l.rewards.part(block, i), l.terms.part(block, i)
	for side := range s.cfg.Sides {
		putFloat(rewards[4*side:], float32(result.Reward[side]))
		for _, v := range result.Terms[side] {
			putFloat(terms, float32(v))
			terms = terms[4:]
		}
	}
	ends := l.ends.part(block, i)
	ends[0], ends[1] = number(result.Terminated), number(result.Truncated)
}

func number(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// reset lets a game of the mask begin the first episode of its seed.
func (s *server) reset(i int) {
	g, l, block := &s.games[i], s.layout, s.memory.data
	if l.mask.part(block, i)[0] == 0 {
		return
	}
	g.err = g.Reset(binary.LittleEndian.Uint64(l.seeds.part(block, i)), s.start)
	clear(l.ends.part(block, i))
	s.show(i)
}

// show writes what a program sees of a game before its next step.
func (s *server) show(i int) {
	g, l, block := &s.games[i], s.layout, s.memory.data
	if g.err != nil {
		return
	}
	s.observe(i, &l.observations)
	g.Truth(l.truth.part(block, i))
	_, episode := g.Episode()
	binary.LittleEndian.PutUint32(l.episodes.part(block, i), uint32(episode))
}

// observe writes the observations of a game to an array.
func (s *server) observe(i int, to *Array) {
	part := to.part(s.memory.data, i)
	size := len(part) / s.cfg.Sides
	for side := range s.cfg.Sides {
		s.games[i].Observe(side, part[side*size:][:size])
	}
}

// request is a line of JSON.
type request struct {
	Save    *int           `json:"save"`    // the game to save
	Restore *uint64        `json:"restore"` // the state to set game Game to
	Game    int            `json:"game"`
	Drop    *uint64        `json:"drop"`   // the state to forget
	Export  *uint64        `json:"export"` // the state whose bytes are the answer
	Import  []byte         `json:"import"` // bytes of a state, which becomes one of this server
	Start   jsontext.Value `json:"start"`  // start positions of the next resets; "random"; null: those of the configuration
}

// request carries out a line and returns its answer.
func (s *server) request(line []byte) map[string]any {
	var q request
	var done any = true
	err := wire.DecodeJSON(line, "the command", &q)
	switch {
	case err != nil:
	case q.Save != nil:
		done, err = s.save(*q.Save)
	case q.Restore != nil:
		err = s.restore(*q.Restore, q.Game)
	case q.Drop != nil:
		delete(s.states, *q.Drop)
	case q.Export != nil:
		done, err = s.export(*q.Export)
	case q.Import != nil:
		done, err = s.importState(q.Import)
	case q.Start != nil:
		s.start, err = learn.ParseStart(q.Start, s.cfg.Robots)
	default:
		err = errors.New("the command has no key: want save, restore, drop, export, import or start")
	}
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"ok": done}
}

func (s *server) save(i int) (uint64, error) {
	if i < 0 || i >= len(s.games) {
		return 0, fmt.Errorf("save: no game %d", i)
	}
	return s.keep("save", s.games[i].Save())
}

// keep keeps a state and returns its number.
func (s *server) keep(request string, state *learn.State) (uint64, error) {
	if len(s.states) >= maxStates {
		return 0, fmt.Errorf("%s: %d states are saved; drop some first", request, maxStates)
	}
	s.saved++
	s.states[s.saved] = state
	return s.saved, nil
}

func (s *server) export(number uint64) ([]byte, error) {
	state, ok := s.states[number]
	if !ok {
		return nil, fmt.Errorf("export: no state %d", number)
	}
	return s.games[0].AppendState(nil, state)
}

func (s *server) importState(b []byte) (uint64, error) {
	state, err := s.games[0].StateOf(b)
	if err != nil {
		return 0, fmt.Errorf("import: %w", err)
	}
	return s.keep("import", state)
}

func (s *server) restore(number uint64, i int) error {
	state, ok := s.states[number]
	switch {
	case !ok:
		return fmt.Errorf("restore: no state %d", number)
	case i < 0 || i >= len(s.games):
		return fmt.Errorf("restore: no game %d", i)
	}
	if err := s.games[i].Restore(state); err != nil {
		return err
	}
	s.showResult(i)
	s.show(i)
	return nil
}

// close ends the workers and the block.
func (s *server) close() {
	s.workers.close()
	_ = s.memory.close() // a file in memory that the other program has usually removed
}
