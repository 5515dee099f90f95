"""The environments."""

import difflib
import functools
import inspect
import numbers
import time

import numpy as np

from .games import Games
from .render import draw
from .spaces import BOUND, AutoresetMode, Box, Env, VectorEnv

OWN, SELF = "own", "self"  # who gives the actions of yellow: a policy, or the caller


def _refuse(env, unknown, known):
    """Raises TypeError for options that a class does not have."""
    for name in unknown:
        near = difflib.get_close_matches({"max_episode_steps": "limit"}.get(name, name), known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}"
        raise TypeError(f"{type(env).__name__} has no option {name!r}: {hint}")


def _mode(mode):
    """Returns the AutoresetMode of a name: that of gymnasium ("NextStep"), or that of the constant ("NEXT_STEP")."""
    for known in AutoresetMode:
        if mode in (known, known.name, known.value):
            return known
    raise ValueError(f"autoreset_mode {mode!r}: want one of {[known.value for known in AutoresetMode]}")


class _Remade:
    """An environment that is pickled and copied by its arguments: a copy has games of its own, and waits for reset."""

    def __new__(cls, *args, **kwargs):
        self = super().__new__(cls)
        self._arguments = args, kwargs
        return self

    def __reduce__(self):
        args, kwargs = self._arguments
        return functools.partial(type(self), *args, **kwargs), (), {"spec": self.spec}


def _config(options, opponents, self_play):
    """Returns the options for the games, and who gives yellow's actions (None: the games)."""
    if self_play and opponents is not None:
        raise ValueError("with self_play the actions are those of both teams: leave out opponents")
    config = {key: value for key, value in options.items() if value is not None}
    if "max_wheel" in config:
        config["maxWheel"] = config.pop("max_wheel")
    if self_play or callable(opponents):
        return {**config, "sides": 2}, SELF if self_play else OWN
    return ({**config, "opponents": opponents} if opponents else config), None


def _seeds(seed, n, random):
    """Returns a seed for each game."""
    if seed is None:
        return random.integers(0, 2**63, n, dtype=np.uint64)
    if isinstance(seed, numbers.Integral):
        seed = [int(seed) + i for i in range(n)]
    seed = list(seed)
    if len(seed) != n:
        raise ValueError(f"{len(seed)} seeds for {n} games: give one number, or one for each game")
    for s in seed:
        if s is not None and not (isinstance(s, numbers.Integral) and 0 <= s < 2**64):
            raise ValueError(f"seed {s!r}: want whole numbers from 0 to 2**64 - 1")
    return np.array([random.integers(0, 2**63) if s is None else s for s in seed], np.uint64)


def _checked(actions, shape):
    """Returns actions as an array, if they have the shape and are numbers."""
    try:
        array = np.asarray(actions, np.float32)
    except (TypeError, ValueError) as err:
        raise TypeError(f"actions: want numbers of shape {shape}: {err}") from None
    if array.shape != shape:
        raise ValueError(f"actions have shape {array.shape}, want {shape}")
    return array


class VSSVectorEnv(_Remade, VectorEnv):
    """num_envs games in one process, k ticks of 16 ms a step, with gymnasium's interface for vectors of environments.

    A finished game begins its next episode in the same step (gymnasium's AutoresetMode.SAME_STEP): the observation is
    the first one of the new episode, and infos["final_obs"] has the last one of the old. With autoreset_mode="NextStep"
    it does so in the step after that, with "Disabled" in the reset whose options["reset_mask"] names it. Options are in
    docs/learning.md. With copy=False the arrays of reset and step are views that the next step overwrites.
    """

    metadata = {"render_modes": ["human", "rgb_array"], "render_fps": 62.5, "autoreset_mode": AutoresetMode.SAME_STEP}
    closed, _page = False, None

    def __init__(self, num_envs, k=1, *, robots=None, agents=None, opponents=None, mates=None, self_play=False,
                 physics=None, max_wheel=None, limit=None, weights=None, start=None, jitter=None, randomize=None,
                 render_mode=None, page=None, autoreset_mode=AutoresetMode.SAME_STEP, copy=True, **unknown):
        _refuse(self, unknown, ["num_envs", "k", *OPTIONS, "autoreset_mode", "copy"])
        n, mode = num_envs, _mode(autoreset_mode)
        if render_mode not in (None, "human", "rgb_array"):
            raise ValueError(f"render_mode {render_mode!r}: want None, 'human' or 'rgb_array'")
        for name, value in (("num_envs", n), ("k", k)):
            if not isinstance(value, numbers.Integral):
                raise TypeError(f"{name} {value!r}: want a whole number")
        options = {"robots": robots, "agents": agents, "mates": mates, "physics": physics, "max_wheel": max_wheel,
                   "limit": limit, "weights": weights, "start": start, "jitter": jitter, "randomize": randomize}
        config, self.yellow = _config(options, opponents, self_play)
        self.policy = opponents if self.yellow == OWN else None
        if mode is AutoresetMode.NEXT_STEP:
            config["nextStep"] = True
        self.games = Games(games=int(n), ticks=int(k), autoreset=mode is not AutoresetMode.DISABLED, **config)
        self.num_envs, self.render_mode, self.copy, self._mode = int(n), render_mode, copy, mode
        self._period, self._due = 0.016 * int(k), 0.0  # s of a step; when the next one is due in real time
        self.metadata = {**self.metadata, "render_fps": 1 / self._period, "autoreset_mode": mode}
        sides, agents, size = self.games.actions.shape[1], self.games.actions.shape[2], self.games.observations.shape[2]
        side = (2,) if agents == 1 else (agents, 2)
        both = (sides,) if self.yellow == SELF else ()
        self.single_action_space = Box(-1, 1, (*both, *side), np.float32)
        self.single_observation_space = Box(-BOUND, BOUND, (*both, size), np.float32)
        self.action_space = Box(-1, 1, (n, *both, *side), np.float32)
        self.observation_space = Box(-BOUND, BOUND, (n, *both, size), np.float32)
        self._side, self._all = (n, *side), np.ones(n, bool)
        self._view()
        if page or render_mode == "human":
            from .page import ADDRESS, Page  # most trainings need no server

            self._page = Page(self.games, page if isinstance(page, str) else ADDRESS)

    def _view(self):
        """Makes views of the shared memory in the shapes of the spaces."""
        g, n = self.games, self.num_envs
        own = slice(None) if self.yellow == SELF else 0
        self._actions = g.actions.reshape(n, g.actions.shape[1], *self._side[1:])[:, own]
        self._observations, self._finals = g.observations[:, own], g.final_observations[:, own]
        self._rewards, self._terms = g.rewards[:, own], g.terms[:, own]
        self._terminated, self._truncated = g.ends.view(bool)[:, 0], g.ends.view(bool)[:, 1]

    def reset(self, *, seed=None, options=None):
        """Starts episodes: seed is a number (game i gets seed + i) or one for each game; None draws new ones. options:
        "reset_mask", which games (default all); "start", the start positions."""
        options = options or {}
        if unknown := set(options) - {"reset_mask", "start"}:
            raise ValueError(f"options {sorted(unknown)}: want reset_mask and start")
        mask = np.asarray(options.get("reset_mask", True))
        if mask.dtype != bool or mask.shape not in ((), (self.num_envs,)):
            raise ValueError(f"reset_mask: want {self.num_envs} booleans")
        seeds = _seeds(seed, self.num_envs, self.np_random)
        if isinstance(seed, numbers.Integral):
            super().reset(seed=int(seed))
        self.games.seeds[:] = seeds
        self.games.mask[:] = mask
        if "start" in options:
            self.games.start(options["start"])
        self.games.reset()
        if "start" in options:
            self.games.start(None)
        infos = {"seed": self.games.seeds.copy(), "_seed": self.games.mask.astype(bool),
                 "truth": self._out(self.games.truth), "_truth": self._out(self._all)}
        return self._out(self._observations), infos

    def step(self, actions):
        """Does a step of all games."""
        stepped = self._all
        if self._mode is not AutoresetMode.SAME_STEP:
            stepped = ~(self._terminated | self._truncated)
            if self._mode is AutoresetMode.DISABLED and not stepped.all():
                raise RuntimeError(f"the episodes of games {np.flatnonzero(~stepped)[:8].tolist()} are over: call "
                                   'reset with options={"reset_mask": terminated | truncated}')
        self._actions[:] = _checked(actions, self.action_space.shape)
        if self.policy:
            given = self.policy(self.games.observations[:, 1].copy())
            self.games.actions[:, 1].reshape(self._side)[:] = _checked(given, self._side)
        self.games.step()
        self._show()
        infos = {"terms": self._out(self._terms), "_terms": self._out(stepped),
                 "truth": self._out(self.games.truth), "_truth": self._out(self._all)}
        if self._mode is AutoresetMode.SAME_STEP:
            ended = self._terminated | self._truncated
            if ended.any():
                infos["final_obs"], infos["_final_obs"] = self._finals.copy(), ended
                infos["final_info"], infos["_final_info"] = {"terms": self._terms.copy(), "_terms": ended}, ended
        return (self._out(self._observations), self._out(self._rewards), self._out(self._terminated),
                self._out(self._truncated), infos)

    def _show(self):
        """Shows a step on the page; with render_mode "human" it waits until the step's time has passed."""
        if not self._page:
            return
        self._page.note()
        if self.render_mode == "human":
            now = time.monotonic()
            self._due = max(self._due + self._period, now)
            time.sleep(self._due - now)

    def _out(self, array):
        return array.copy() if self.copy else array

    def save(self, game):
        """Returns the whole state of a game, for restore."""
        return self.games.save(game)

    def restore(self, state, game):
        """Sets a game to a saved state and returns its observation."""
        self.games.restore(state, game)
        return self._observations[game].copy()

    def render(self):
        """Returns a picture of each game, height x width x 3; None with render_mode "human", whose page shows them."""
        if self.render_mode == "human":
            return None
        return tuple(draw(self.games.field, truth) for truth in self.games.truth)

    def close_extras(self, **_):
        if self._page:
            self._page.close()
        if hasattr(self, "games"):
            self.games.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


OPTIONS = [name for name, p in inspect.signature(VSSVectorEnv.__init__).parameters.items()
           if p.kind is p.KEYWORD_ONLY and name not in ("autoreset_mode", "copy")]  # of both classes


class VSSEnv(_Remade, Env):
    """One game, with gymnasium's interface. Options are in docs/learning.md."""

    metadata = {"render_modes": ["human", "rgb_array"], "render_fps": 62.5}

    def __init__(self, k=1, *, render_mode=None, **options):
        _refuse(self, [name for name in options if name not in OPTIONS], ["k", *OPTIONS])
        self._vector = VSSVectorEnv(1, k, render_mode=render_mode, autoreset_mode=AutoresetMode.DISABLED, **options)
        self.render_mode, self.games = render_mode, self._vector.games
        self.metadata = {**self.metadata, "render_fps": self._vector.metadata["render_fps"]}
        self.observation_space = self._vector.single_observation_space
        self.action_space = self._vector.single_action_space
        self._over = True
        vector = self._vector
        self._action, self._observation = vector._actions[0], vector._observations[0]
        self._terms, self._ends = vector._terms[0], self.games.ends[0]
        self._rewards = vector._rewards.reshape(-1)  # with self-play both teams' rewards
        self._names = self.games.term_names

    def reset(self, *, seed=None, options=None):
        """Starts an episode; options: "start", the start positions."""
        if seed is not None and not isinstance(seed, numbers.Integral):
            raise TypeError(f"seed {seed!r}: want a whole number or None")
        seeds = _seeds(seed, 1, self.np_random)
        if seed is not None:
            super().reset(seed=int(seed))
        observations, _ = self._vector.reset(seed=seeds, options=options)
        self._over = False
        return observations[0].copy(), {"seed": int(self.games.seeds[0])}

    def step(self, action):
        """Does a step. info has the terms of the reward, with self-play also both rewards; the reward is blue's."""
        if self._over:
            raise RuntimeError("the episode is over: call reset")
        self._action[:] = _checked(action, self._action.shape)
        vector = self._vector
        if vector.policy:
            given = vector.policy(self.games.observations[:, 1].copy()[0])
            self.games.actions[0, 1].reshape(self._action.shape)[:] = _checked(given, self._action.shape)
        self.games.step()
        vector._show()
        info = {"terms": dict(zip(self._names, self._terms.tolist()))} if self._terms.ndim == 1 else \
            {"terms": self._terms.copy(), "rewards": self._rewards.copy()}
        terminated, truncated = self._ends.tolist()
        self._over = bool(terminated or truncated)
        return self._observation.copy(), float(self._rewards[0]), bool(terminated), bool(truncated), info

    def save(self):
        """Returns the whole state of the game, for restore."""
        return self._vector.save(0), self._over

    def restore(self, state):
        """Sets the game to a saved state and returns its observation."""
        self._over = state[1]
        return self._vector.restore(state[0], 0)

    def render(self):
        """Returns a picture, height x width x 3; None with render_mode "human", whose page shows it."""
        return None if self.render_mode == "human" else draw(self.games.field, self.games.truth[0])

    def close(self):
        if hasattr(self, "_vector"):
            self._vector.close()
