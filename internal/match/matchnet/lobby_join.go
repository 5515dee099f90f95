package matchnet

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/internal/camera"
	"touchline/internal/match"
	"touchline/internal/robot"
	"touchline/internal/robot/robotnet"
	"touchline/internal/station/stationnet"
	"touchline/soccer"
	"touchline/teamcom/teamcomnet"
	"touchline/transport"
)

// JoinConfig describes a team that joins a lobby.
type JoinConfig struct {
	Lobby string     // host and port of the lobby's page
	Key   string     // of the lobby
	Name  string     // of the team
	Team  match.Team // its software. Default that of touchline
	// Program, if not nil, drives the team's robots in place of touchline's software: it is started for each match, with
	// {field}, {team} and {robots} replaced in its arguments, and TOUCHLINE_KEY in its environment
	Program []string
	Output  io.Writer         // of Program
	Tell    func(text string) // what happens, for people
}

const (
	joinPeriod   = 500 * time.Millisecond // of requests
	joinPatience = 10 * time.Second       // with a refusal that may pass
)

// joined is a team in a lobby.
type joined struct {
	cfg    JoinConfig
	log    *slog.Logger
	client http.Client
	local  netip.Addr // of this machine, towards the lobby
	nonce  string
	run    string // of the lobby
	count  uint64 // of requests, since the start in ms: greater after each start
	robots []netip.AddrPort
	told   string // the newest text for people
}

// Join lets a team play in a lobby until all matches are played or ctx ends.
func Join(ctx context.Context, cfg JoinConfig, log *slog.Logger) error {
	j := &joined{cfg: cfg, log: stationnet.Warnings(log), nonce: rand.Text(), robots: []netip.AddrPort{}}
	j.count = uint64(soccer.NewClock(time.Now()).Start / 1e6)
	j.client = http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{}} // no proxy: a lobby is near
	ticker := time.NewTicker(joinPeriod)
	defer ticker.Stop()
	var playing *joinedMatch
	defer func() { playing.end() }()
	var refused time.Time
	for first := true; ; first = false {
		a, err := j.ask(ctx)
		switch refuses := (refusal{}); {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			refused = time.Time{}
			if playing, err = j.follow(ctx, playing, a); err != nil {
				return err
			}
			if a.State == "over" {
				return nil
			}
		case errors.As(err, &refuses) && refuses.passes() && (refused.IsZero() || time.Since(refused) < joinPatience):
			if refused.IsZero() {
				refused = time.Now()
			}
		case errors.As(err, &refuses), first:
			return fmt.Errorf("the lobby at %s: %w", cfg.Lobby, err)
		default:
			j.tell(fmt.Sprintf("the lobby does not answer, trying again: %v", err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// tell tells people what happens, each thing once.
func (j *joined) tell(text string) {
	if text != j.told {
		j.told = text
		j.cfg.Tell(text)
	}
}

// refusal is the answer of a lobby that refuses a request.
type refusal struct {
	status int
	text   string
}

func (r refusal) Error() string { return r.text }

// passes reports whether the lobby may accept a request later.
func (r refusal) passes() bool {
	return r.status == http.StatusConflict || r.status == http.StatusGone || r.status == http.StatusTooManyRequests
}

// ask tells the lobby that the team is there.
func (j *joined) ask(ctx context.Context) (*LobbyAnswer, error) {
	if j.run == "" {
		var v match.LobbyView
		if err := j.do(ctx, http.MethodGet, "/api/lobby", nil, &v); err != nil {
			return nil, err
		}
		j.run = v.Lobby
	}
	if !j.local.IsValid() {
		if err := j.place(ctx); err != nil {
			return nil, err
		}
	}
	j.count++
	body, err := json.Marshal(match.LobbyRequest{Lobby: j.run, Name: j.cfg.Name, Nonce: j.nonce, Count: j.count, Robots: j.robots})
	if err != nil {
		return nil, err
	}
	a := new(LobbyAnswer)
	return a, j.do(ctx, http.MethodPost, "/api/lobby/join", body, a)
}

// place finds out the address of this machine towards the lobby.
func (j *joined) place(ctx context.Context) error {
	at, err := new(net.Dialer).DialContext(ctx, "tcp", j.cfg.Lobby)
	if err != nil {
		return err
	}
	defer at.Close()
	to, err := netip.ParseAddrPort(at.RemoteAddr().String())
	if err == nil {
		j.local, err = transport.AddressTo(to)
	}
	return err
}

// do sends a request, and decodes the answer into v.
func (j *joined) do(ctx context.Context, method, path string, body []byte, v any) error {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+j.cfg.Lobby+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		r.Header.Set(Signature, sign(j.cfg.Key, body))
	}
	answer, err := j.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return err
	}
	var failed struct {
		Error string `json:"error"`
	}
	switch answer.StatusCode {
	case http.StatusOK:
		return json.Unmarshal(text, v)
	case http.StatusGone: // it started again
		j.run = ""
	}
	if json.Unmarshal(text, &failed) != nil || failed.Error == "" {
		return fmt.Errorf("it answers %s: is this a touchline lobby?", answer.Status)
	}
	return refusal{answer.StatusCode, failed.Error}
}

// joinedMatch is a match that the team plays. A nil joinedMatch is none.
type joinedMatch struct {
	number int
	cancel context.CancelFunc
	done   chan struct{}
}

// end ends the software of the robots, and waits for it.
func (m *joinedMatch) end() {
	if m != nil {
		m.cancel()
		<-m.done
	}
}

// follow does what the lobby answers, and returns the match that the team plays now.
func (j *joined) follow(ctx context.Context, playing *joinedMatch, a *LobbyAnswer) (*joinedMatch, error) {
	if playing != nil && (a.Match == nil || a.Match.Number != playing.number) {
		playing.end()
		playing, j.robots = nil, j.robots[:0]
		if r := a.Result; r != nil {
			text := fmt.Sprintf("match %d is over: %s %d : %d %s", r.Number, r.Home, r.Goals[0], r.Goals[1], r.Away)
			if r.Reason != "" {
				text += ", " + r.Reason
			}
			j.tell(text)
		}
	}
	switch {
	case a.State == "over":
		j.tell("all matches are played")
	case a.Match == nil:
		j.tell(fmt.Sprintf("in the lobby as %s: %d teams play first", j.cfg.Name, a.Before))
	case playing != nil:
	case len(j.robots) == 0 && j.cfg.Program == nil: // the next request tells where they listen
		bases, err := teamcomnet.FreeBasesAt(j.local, a.Match.Robots)
		if err != nil {
			return nil, err
		}
		for _, base := range bases {
			j.robots = append(j.robots, netip.AddrPortFrom(j.local, base))
		}
	default:
		j.tell(fmt.Sprintf("match %d: %s against %s, as %s", a.Match.Number, j.cfg.Name, a.Match.Opponent, a.Match.Side))
		playing = j.start(ctx, a.Match)
	}
	return playing, nil
}

// start starts the software of the team's robots.
func (j *joined) start(ctx context.Context, task *LobbyTask) *joinedMatch {
	m := &joinedMatch{number: task.Number, done: make(chan struct{})}
	ctx, m.cancel = context.WithCancel(ctx)
	run := j.runRobots
	if j.cfg.Program != nil {
		run = j.runProgram
	}
	go func() {
		defer close(m.done)
		if err := run(ctx, task, TeamKey(j.cfg.Key, j.nonce, task.Number)); err != nil && ctx.Err() == nil {
			j.log.Error("the team's software ended before the match", "match", task.Number, "err", err)
		}
	}()
	return m
}

// runRobots runs touchline's software of each robot until ctx ends.
func (j *joined) runRobots(ctx context.Context, task *LobbyTask, key string) error {
	cfg := match.DefaultMatchConfig()
	*cfg.Team(task.Side) = j.cfg.Team
	group, ctx := errgroup.WithContext(ctx)
	for n := range task.Robots {
		one := robotnet.Config{
			Robot: cfg.Software(task.Side, uint8(n+1)), Name: j.cfg.Name, Team: task.Team, Field: task.Field,
			Entity: robot.Field, Secret: []byte(key), Camera: camera.Perspective(),
		}
		one.Robot.Seed = uint64(task.Number)<<8 + uint64(n)
		r, err := robotnet.New(one, j.log.With("robot", n+1))
		if err != nil {
			return err
		}
		group.Go(func() error { return r.Run(ctx) })
	}
	return group.Wait()
}

// runProgram runs the team's own program until ctx ends.
func (j *joined) runProgram(ctx context.Context, task *LobbyTask, key string) error {
	args := make([]string, len(j.cfg.Program))
	values := strings.NewReplacer("{field}", task.Field.String(), "{team}", strconv.Itoa(int(task.Team)),
		"{robots}", strconv.Itoa(task.Robots))
	for i, arg := range j.cfg.Program {
		args[i] = values.Replace(arg)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), KeyVariable+"="+key)
	cmd.Stdout, cmd.Stderr = j.cfg.Output, j.cfg.Output
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopPatience
	err := cmd.Run()
	if err == nil {
		err = errors.New("it ended")
	}
	return fmt.Errorf("%s: %w", args[0], err)
}
