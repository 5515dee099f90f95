//go:build unix

package learnnet_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"touchline/internal/vss/learn/learnnet"
)

// program is a program that learns: the other end of the pipes.
type program struct {
	t      testing.TB
	in     *io.PipeWriter
	from   *io.PipeReader
	out    *bufio.Reader
	block  []byte
	file   string
	arrays map[string]learnnet.Array
	served chan error
}

// start starts Serve with a configuration and maps its block.
func start(t testing.TB, config string) *program {
	t.Helper()
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	p := &program{t: t, in: in, from: out, out: bufio.NewReader(out), arrays: map[string]learnnet.Array{}, served: make(chan error, 1)}
	go func() {
		err := learnnet.Serve(requests, answers)
		answers.Close()
		p.served <- err
	}()
	t.Cleanup(func() { p.stop() })
	p.send(config + "\n")
	var d struct {
		Error  string           `json:"error"`
		Block  string           `json:"block"`
		Size   int              `json:"size"`
		Arrays []learnnet.Array `json:"arrays"`
	}
	p.line(&d)
	if d.Error != "" {
		t.Fatal(d.Error)
	}
	for _, a := range d.Arrays {
		p.arrays[a.Name] = a
	}
	f, err := os.OpenFile(d.Block, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if p.block, err = unix.Mmap(int(f.Fd()), 0, d.Size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(p.block) })
	p.file = d.Block
	return p
}

func (p *program) send(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, text); err != nil {
		p.t.Fatal(err)
	}
}

func (p *program) line(to any) {
	p.t.Helper()
	b, err := p.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(b, to)
	}
	if err != nil {
		p.t.Fatalf("%q: %v", b, err)
	}
}

// command sends a command of one byte and returns the error that answers it, or "".
func (p *program) command(c string) string {
	p.t.Helper()
	p.send(c)
	b, err := p.out.ReadByte()
	if err != nil {
		p.t.Fatal(err)
	}
	if b == '.' {
		return ""
	}
	if err := p.out.UnreadByte(); err != nil {
		p.t.Fatal(err)
	}
	var answer map[string]string
	p.line(&answer)
	return answer["error"]
}

// ask sends a line of JSON and returns the answer, or the error.
func (p *program) ask(format string, args ...any) (ok any, text string) {
	p.t.Helper()
	p.send(fmt.Sprintf(format, args...) + "\n")
	var answer map[string]any
	p.line(&answer)
	text, _ = answer["error"].(string)
	return answer["ok"], text
}

// stop ends the program, as a crash does, and returns the error of Serve.
func (p *program) stop() error {
	p.in.Close()
	p.from.Close()
	err := <-p.served
	p.served <- err
	return err
}

// part returns the bytes of a game in an array.
func (p *program) part(name string, game int) []byte {
	a := p.arrays[name]
	size := int(a.Type[1] - '0')
	for _, d := range a.Shape[1:] {
		size *= d
	}
	return p.block[a.Offset+game*size:][:size]
}

func (p *program) act(game int, random *rand.Rand) {
	b := p.part("actions", game)
	for i := 0; i < len(b); i += 4 {
		binary.LittleEndian.PutUint32(b[i:], math.Float32bits(random.Float32()*2-1))
	}
}

// reset begins episodes of seeds in all games.
func (p *program) reset(seed func(game int) uint64) {
	p.t.Helper()
	for i := range p.arrays["seeds"].Shape[0] {
		binary.LittleEndian.PutUint64(p.part("seeds", i), seed(i))
		p.part("mask", i)[0] = 1
	}
	if err := p.command("r"); err != "" {
		p.t.Fatal(err)
	}
}

const everything = `"robots":5,"agents":2,"ticks":3,"limit":40,"mates":"random","opponents":"builtin","autoreset":true,` +
	`"randomize":{"mass":[0.8,1.2],"latency":[0,0.05],"noise":[0,0.005],"vanish":[0,0.1]}`

// The digest of the first episodes is golden on every processor. When matches change, take that of the failure.
const (
	fewEpisodes = 64
	golden      = "97677a7d135861d4"
)

var episodes = flag.Int("episodes", fewEpisodes, "episodes that TestSameBytesWhateverTheNumberOfGames compares")

// The bytes of an episode depend on its seed and actions, not on how many games there are, in which of them it runs, and
// on the processor.
func TestSameBytesWhateverTheNumberOfGames(t *testing.T) {
	one, all := play(t, 1), play(t, 64)
	differ := 0
	for seed := range one {
		if one[seed] != all[seed] {
			differ++
		}
	}
	if differ > 0 {
		t.Errorf("%d of %d episodes differ between 1 game and 64 side by side", differ, len(one))
	}
	sum := func(digests []uint64) string {
		h := fnv.New64a()
		_ = binary.Write(h, binary.LittleEndian, digests)
		return fmt.Sprintf("%016x", h.Sum64())
	}
	if len(one) >= fewEpisodes && sum(one[:fewEpisodes]) != golden {
		t.Errorf("the first %d episodes have the digest %s, want %s", fewEpisodes, sum(one[:fewEpisodes]), golden)
	}
	t.Logf("%d episodes: digest %s on %s", len(one), sum(one), runtime.GOARCH)
	if slices.Sort(one); len(slices.Compact(one)) != *episodes {
		t.Error("some seeds give the same episode")
	}
}

// play plays an episode of each seed to its end in some games side by side, and returns their digests.
func play(t *testing.T, games int) []uint64 {
	p := start(t, fmt.Sprintf(`{"games":%d,%s}`, games, everything))
	defer p.stop()
	digests, next := make([]uint64, *episodes), 0
	type episode struct {
		seed   int
		random *rand.Rand
		hash   hash.Hash64
	}
	running := make([]*episode, games)
	for {
		busy := false
		for i := range running {
			p.part("mask", i)[0] = 0
			if running[i] == nil && next < len(digests) {
				p.part("mask", i)[0] = 1
				binary.LittleEndian.PutUint64(p.part("seeds", i), uint64(next))
				running[i] = &episode{next, rand.New(rand.NewPCG(uint64(next), 9)), fnv.New64a()}
				next++
			}
			busy = busy || running[i] != nil
		}
		if !busy {
			return digests
		}
		if err := p.command("r"); err != "" {
			t.Fatal(err)
		}
		for i, e := range running {
			if e != nil {
				e.hash.Write(p.part("observations", i))
				p.act(i, e.random)
			}
		}
		if err := p.command("s"); err != "" {
			t.Fatal(err)
		}
		for i, e := range running {
			if e == nil {
				continue
			}
			for _, name := range []string{"rewards", "terms", "ends", "truth", "episodes"} {
				e.hash.Write(p.part(name, i))
			}
			if ends := p.part("ends", i); ends[0]+ends[1] > 0 {
				e.hash.Write(p.part("final_observations", i))
				digests[e.seed], running[i] = e.hash.Sum64(), nil
			}
		}
	}
}

func TestAutoresetKeepsTheLastObservation(t *testing.T) {
	p := start(t, `{"games":2,"limit":2,"autoreset":true}`)
	p.reset(func(i int) uint64 { return uint64(i) })
	p.command("s")
	before := slices.Clone(p.part("observations", 1))
	if p.command("s"); p.part("ends", 1)[1] != 1 || p.part("episodes", 1)[0] != 1 {
		t.Errorf("ends %v, episode %d: want a truncated episode, and the next one", p.part("ends", 1), p.part("episodes", 1)[0])
	}
	if slices.Equal(p.part("final_observations", 1), p.part("observations", 1)) {
		t.Error("the first observation of the next episode is the last of this one")
	}
	// Nothing is driven: the robots stay where they were.
	if !slices.Equal(p.part("final_observations", 1)[16:24], before[16:24]) {
		t.Error("the last observation is another game's")
	}
}

// With nextStep a finished game shows its end, and begins the next episode in the step after it, as autoreset alone does in
// the same step.
func TestNextEpisodeInTheNextStep(t *testing.T) {
	same := start(t, `{"games":2,"limit":2,"autoreset":true}`)
	next := start(t, `{"games":2,"limit":2,"autoreset":true,"nextStep":true}`)
	for _, p := range []*program{same, next} {
		p.reset(func(i int) uint64 { return uint64(i) })
		p.command("s")
		p.command("s")
	}
	if next.part("ends", 1)[1] != 1 || next.part("episodes", 1)[0] != 0 ||
		!slices.Equal(next.part("observations", 1), same.part("final_observations", 1)) {
		t.Errorf("at the end: ends %v, episode %d, or not the last observation", next.part("ends", 1), next.part("episodes", 1)[0])
	}
	state, _ := next.ask(`{"save":1}`)
	next.command("s")
	for _, name := range []string{"rewards", "terms", "ends"} {
		if b := next.part(name, 1); len(bytes.Trim(b, "\x00")) > 0 {
			t.Errorf("at the start of the next episode: %s % x, want zeros", name, b)
		}
	}
	if next.part("episodes", 1)[0] != 1 || !slices.Equal(next.part("observations", 1), same.part("observations", 1)) {
		t.Errorf("episode %d, or not its first observation", next.part("episodes", 1)[0])
	}
	if _, err := next.ask(`{"restore":%v,"game":1}`, state); err != "" || next.part("ends", 1)[1] != 1 {
		t.Errorf("restored at the end of an episode: ends %v, %s", next.part("ends", 1), err)
	}
}

func TestSavedStates(t *testing.T) {
	p := start(t, `{"games":2,`+everything+`}`)
	step := func(seed uint64) []byte {
		random := rand.New(rand.NewPCG(seed, 1))
		for range 10 {
			p.act(0, random)
			p.command("s")
		}
		return slices.Clone(p.part("truth", 0))
	}
	step(1)
	state, err := p.ask(`{"save":0}`)
	if err != "" {
		t.Fatal(err)
	}
	want := step(2)
	if _, err := p.ask(`{"restore":%v,"game":0}`, state); err != "" {
		t.Fatal(err)
	}
	if got := step(2); !bytes.Equal(got, want) {
		t.Error("a restored game plays on differently")
	}
	b, _ := p.ask(`{"export":%v}`, state)
	other := start(t, `{"games":1,`+everything+`}`)
	imported, err := other.ask(`{"import":%q}`, b)
	if err != "" {
		t.Fatal(err)
	}
	other.ask(`{"restore":%v,"game":0}`, imported)
	p.ask(`{"restore":%v,"game":0}`, state)
	if !bytes.Equal(other.part("truth", 0), p.part("truth", 0)) {
		t.Error("another process restores another state")
	}
	for _, c := range []struct{ request, want string }{
		{`{"save":2}`, "no game 2"},
		{`{"save":-1}`, "no game -1"},
		{`{"restore":99}`, "no state 99"},
		{`{"restore":1,"game":7}`, "no game 7"},
		{`{"export":99}`, "no state 99"},
		{`{"import":"AAAA"}`, "no state"},
		{`{"import":"?"}`, "import"},
		{`{"drop":1}`, ""},
		{`{"restore":1,"game":0}`, "no state 1"},
		{`{}`, "no key"},
		{`{"sve":1}`, "unknown key"},
		{`{"start":{"ball":{"x":9}}}`, "out of range"},
	} {
		if _, err := p.ask("%s", c.request); !strings.Contains(err, c.want) || (c.want == "") != (err == "") {
			t.Errorf("%s: got %q, want %q", c.request, err, c.want)
		}
	}
}

func TestStartPositionsOfAReset(t *testing.T) {
	p := start(t, `{"start":{"blue":[{"id":0,"x":-0.5,"y":0.1}]}}`)
	x := func() float32 { return math.Float32frombits(binary.LittleEndian.Uint32(p.part("truth", 0)[4*7:])) }
	if x() != -0.5 {
		t.Errorf("x = %g, want that of the configuration", x())
	}
	if _, err := p.ask(`{"start":{"blue":[{"id":0,"x":-0.3,"y":0.1}]}}`); err != "" {
		t.Fatal(err)
	}
	if p.reset(func(int) uint64 { return 1 }); x() != -0.3 {
		t.Errorf("x = %g, want that of the reset", x())
	}
	p.ask(`{"start":null}`)
	if p.reset(func(int) uint64 { return 1 }); x() != -0.5 {
		t.Errorf("x = %g, want that of the configuration again", x())
	}
}

func TestActionsThatAreNotFinite(t *testing.T) {
	p := start(t, `{"games":3}`)
	before := slices.Clone(p.block)
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		binary.LittleEndian.PutUint32(p.part("actions", 2)[4:], math.Float32bits(float32(bad)))
		if err := p.command("s"); !strings.Contains(err, "game 2") || !strings.Contains(err, "finite") {
			t.Errorf("%g: got %q", bad, err)
		}
	}
	clear(p.part("actions", 2))
	if !bytes.Equal(p.block, before) {
		t.Error("a refused step changed the block")
	}
	if err := p.command("s"); err != "" {
		t.Errorf("after it: %s", err)
	}
}

func TestRefusedPrograms(t *testing.T) {
	for input, want := range map[string]string{
		"":                                    "first line",
		"{}":                                  "first line",
		"{\"games\":0}\n":                     "games 0",
		"{\"games\":100000}\n":                "MiB of memory; the limit is 2048 MiB",
		"{\"games\":2147483647}\n":            "MiB of memory",
		"games\n":                             "not a JSON object",
		strings.Repeat("x", 100_000):          "a line of more than",
		"{}\nx":                               "want 's' (step)",
		"{}\n{" + strings.Repeat("x", 99_999): "a line of more than",
	} {
		var out bytes.Buffer
		err := learnnet.Serve(strings.NewReader(input), &out)
		if !strings.Contains(out.String()+fmt.Sprint(err), want) || err == nil {
			t.Errorf("%.40q: got %.200q and %v, want %q", input, out.String(), err, want)
		}
	}
}

// A program that dies leaves no file, and Serve ends; also if it dies before it removed the block.
func TestDeadProgram(t *testing.T) {
	p := start(t, `{"games":64}`)
	p.send("s")
	if err := p.stop(); err != nil {
		// The answer had no reader, or the end came first.
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
	}
	if _, err := os.Stat(p.file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the block is still there: %v", err)
	}
}

// BenchmarkMemory reports the bytes of a game with all disturbances.
func BenchmarkMemory(b *testing.B) {
	const games = 2000
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		p := start(b, fmt.Sprintf(`{"games":%d,%s}`, games, everything))
		p.command("s")
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/games, "B/game")
		_ = p.stop()
	}
}

// FuzzServe sends arbitrary bytes.
func FuzzServe(f *testing.F) {
	f.Add([]byte("{\"games\":2}\nsr{\"save\":0}\n{\"restore\":1}\ns"))
	f.Add([]byte("{\"sides\":2,\"start\":{\"ball\":{\"vx\":1}}}\ns\n{\"start\":null}\nrs{\"drop\":1}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 2000 || bytes.Contains(b, []byte("games")) && !bytes.HasPrefix(b, []byte("{\"games\":2}")) {
			return // memory of many games is TestRefusedPrograms' matter
		}
		_ = learnnet.Serve(bytes.NewReader(b), io.Discard)
	})
}

// A block whose file another program makes shorter ends the games with a clear error, and leaves no file: in the step of
// one game, and of so many that several goroutines play.
func TestTruncatedBlock(t *testing.T) {
	for _, games := range []int{1, 64} {
		p := start(t, fmt.Sprintf(`{"games":%d}`, games))
		if text := p.command("s"); text != "" {
			t.Fatal(text)
		}
		if err := os.Truncate(p.file, 0); err != nil {
			t.Fatal(err)
		}
		if text := p.command("s"); !strings.Contains(text, "became shorter") {
			t.Errorf("%d games: got %q", games, text)
		}
		if err := <-p.served; !errors.Is(err, learnnet.ErrAnswered) {
			t.Errorf("Serve returned %v, want ErrAnswered", err)
		} else {
			p.served <- err
		}
		if _, err := os.Stat(filepath.Dir(p.file)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there", filepath.Dir(p.file))
		}
	}
}

// A program that is killed leaves its block, which the next start removes.
func TestKilledProgramsBlock(t *testing.T) {
	if os.Getenv("TOUCHLINE_LEARN") != "" {
		_ = learnnet.Serve(os.Stdin, os.Stdout)
		os.Exit(0)
	}
	c := exec.Command(os.Args[0], "-test.run=^TestKilledProgramsBlock$")
	c.Env = append(os.Environ(), "TOUCHLINE_LEARN=1")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, "{}\n"); err != nil {
		t.Fatal(err)
	}
	var d struct{ Block string }
	if err := json.NewDecoder(out).Decode(&d); err != nil {
		t.Fatal(err)
	}
	start(t, "{}").stop()
	if _, err := os.Stat(d.Block); err != nil {
		t.Errorf("the block of a living program: %v", err)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	start(t, "{}").stop()
	if _, err := os.Stat(d.Block); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", d.Block, err)
	}
}
