"""Tests of the package with the real program: python3 -m unittest discover -s python/tests

The rules of gymnasium are checked here without it; test_gymnasium.py runs its own checkers where it is.
"""

import contextlib
import copy
import hashlib
import http.client
import io
import json
import os
import pathlib
import pickle
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import zlib
from unittest import mock

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import touchline  # noqa: E402
from touchline import live, page, program, spaces  # noqa: E402

BUILT = program.find()  # once
os.environ["TOUCHLINE"] = BUILT


def digest(env, steps, seed):
    """Returns a hash of what a program sees of random actions."""
    random = np.random.default_rng(seed)
    h = hashlib.sha256(env.reset(seed=seed)[0].tobytes())
    for _ in range(steps):
        step = env.step(random.uniform(-1, 1, env.action_space.shape).astype(np.float32))
        h.update(step[0].tobytes() + struct.pack("<d??", *step[1:4]))
        if step[2] or step[3]:
            h.update(env.reset()[0].tobytes())
    return h.hexdigest()


class Own(touchline.VSSEnv):
    """An environment that a program derives."""


# The answers of environments to random actions in 120 steps, before and after episodes that end.
OPTION_SETS = (
    ("c87489d22b32eaa0", {}),
    ("e6e9b631dfdf5b8e", {"robots": 5}),
    ("f8e0395ff9896b8c", {"agents": 3}),
    ("b32d521c393e73e5", {"opponents": "builtin"}),
    ("123ac2daf1bb046d", {"opponents": "random"}),
    ("2afa867da0f1f024", {"mates": "builtin"}),
    ("f6d281c1bd42b0f4", {"self_play": True}),
    ("fe378ede918cbd4b", {"self_play": True, "agents": 3, "robots": 5}),
    ("6a193a887203260a", {"physics": "rsim"}),
    ("5610b38c909ba6db", {"limit": 50}),
    ("6cf4ecff455f314d", {"randomize": {"mass": [0.8, 1.2], "latency": [0, 0.05], "noise": [0, 0.01],
                                        "vanish": [0, 0.1]}}),
    ("eb9960a285700d1c", {"start": {"ball": {"x": 0.1}}, "jitter": {"ball": 0.3, "blue": 0.1}}),
)


def whole_digest(options):
    """Returns a hash of all that both environments return for a set of options."""
    h, random = hashlib.sha256(), np.random.default_rng(5)
    with touchline.VSSEnv(**options) as env:
        h.update(env.reset(seed=7)[0].tobytes())
        for _ in range(120):
            step = env.step(random.uniform(-1, 1, env.action_space.shape).astype(np.float32))
            h.update(step[0].tobytes() + repr(step[1:4]).encode())
            if step[2] or step[3]:
                h.update(env.reset()[0].tobytes())
        h.update(env.reset()[0].tobytes())
    with touchline.VSSVectorEnv(6, **{**options, "limit": 40}) as env:
        h.update(env.reset(seed=7)[0].tobytes())
        for _ in range(130):
            step = env.step(random.uniform(-1, 1, env.action_space.shape).astype(np.float32))
            h.update(b"".join(array.tobytes() for array in step[:4]) + step[4]["terms"].tobytes())
            if "final_obs" in step[4]:
                h.update(step[4]["final_obs"].tobytes())
        h.update(env.reset()[0].tobytes() + env.reset(seed=[None, 1, 2, None, 3, 4])[0].tobytes())
    return h.hexdigest()[:16]


class SingleEnv(unittest.TestCase):
    def test_shapes(self):
        for options, size, actions in (({}, 40, (2,)), ({"robots": 5}, 64, (2,)), ({"agents": 3}, 40, (3, 2))):
            with touchline.VSSEnv(**options) as env:
                obs, info = env.reset(seed=1)
                self.assertEqual((obs.shape, obs.dtype, env.action_space.shape), ((size,), np.float32, actions))
                self.assertTrue(env.observation_space.contains(obs))
                self.assertEqual(info["seed"], 1)
                obs, reward, terminated, truncated, info = env.step(env.action_space.sample())
                self.assertEqual((type(reward), terminated, truncated), (float, False, False))
                self.assertEqual(list(info["terms"]), ["goal", "ball_potential", "move_to_ball", "energy"])

    def test_same_seed_same_bytes(self):
        options = {"mates": "random", "opponents": "builtin", "limit": 50, "randomize": {"mass": [0.8, 1.2]}}
        with touchline.VSSEnv(**options) as a, touchline.VSSEnv(**options) as b:
            first = digest(a, 120, 7)
            self.assertEqual(first, digest(b, 120, 7))
            self.assertEqual(first, digest(a, 120, 7))
            self.assertNotEqual(first, digest(b, 120, 8))

    def test_an_episode_that_is_over(self):
        with touchline.VSSEnv(limit=2) as env:
            self.assertRaisesRegex(RuntimeError, "call reset", env.step, [0, 0])
            env.reset(seed=1)
            self.assertFalse(env.step([0, 0])[3])
            self.assertTrue(env.step([0, 0])[3])
            self.assertRaisesRegex(RuntimeError, "call reset", env.step, [0, 0])

    def test_save_and_restore(self):
        with touchline.VSSEnv(mates="random", opponents="random") as env:
            env.reset(seed=3)
            state = env.save()
            random = np.random.default_rng(1)
            actions = random.uniform(-1, 1, (50, 2))
            first = [env.step(a)[0] for a in actions]
            env.restore(state)
            np.testing.assert_array_equal(first, [env.step(a)[0] for a in actions])
            with touchline.VSSEnv() as other:
                self.assertRaisesRegex(ValueError, "other games", other.restore, state)
            with touchline.VSSEnv(mates="random", opponents="random") as other:
                for again in state, pickle.loads(pickle.dumps(state)), copy.deepcopy(state):
                    other.restore(again)
                    np.testing.assert_array_equal(first, [other.step(a)[0] for a in actions])
        self.assertRaisesRegex(RuntimeError, "before close", pickle.dumps, state)

    def test_pickled_states_outlive_their_games(self):
        with touchline.VSSVectorEnv(3, opponents="medium", limit=4) as env:
            env.reset(seed=3)
            for _ in range(6):
                env.step(np.full((3, 2), 0.5))
            data = pickle.dumps(env.save(2))
            want = env.step(np.full((3, 2), 0.5))[0][2]
        with touchline.VSSVectorEnv(2, opponents="medium", limit=4, autoreset_mode="Disabled") as env:
            state = pickle.loads(pickle.dumps(pickle.loads(data)))
            for game in 0, 1:
                env.restore(state, game)
            np.testing.assert_array_equal(env.step(np.full((2, 2), 0.5))[0], [want, want])

    def test_start_positions_and_goal(self):
        start = {"ball": {"x": 0.6, "vx": 2}, "blue": [{"id": i, "y": 0.5, "x": -0.3 * i} for i in range(3)],
                 "yellow": [{"id": i, "on": False} for i in range(3)]}
        with touchline.VSSEnv(k=50) as env:
            env.reset(seed=1, options={"start": start})
            _, reward, terminated, _, info = env.step([0, 0])
            self.assertEqual((reward, terminated, info["terms"]["goal"]), (10, True, 1))

    def test_opponents_of_ones_own(self):
        with touchline.VSSEnv(opponents=lambda obs: [1, 1] if obs.shape == (40,) else None) as env:
            env.reset(seed=1)
            before = env.games.truth[0].copy()
            for _ in range(20):
                env.step([0, 0])
            moved = np.hypot(*(env.games.truth[0] - before).reshape(-1)[6:].reshape(2, 3, 7)[:, :, 1:3].transpose(2, 0, 1))
            self.assertGreater(moved[1, 0], 0.05)
            self.assertLess(np.delete(moved.ravel(), 3).max(), 0.05)

    def test_self_play(self):
        with touchline.VSSEnv(self_play=True, agents=3) as env:
            obs, _ = env.reset(seed=1)
            self.assertEqual((obs.shape, env.action_space.shape), ((2, 40), (2, 3, 2)))
            _, reward, _, _, info = env.step(env.action_space.sample())
            self.assertEqual(info["rewards"].shape, (2,))
            self.assertEqual(reward, float(info["rewards"][0]))

    def test_picture(self):
        with touchline.VSSEnv(render_mode="rgb_array") as env:
            env.reset(seed=1)
            picture = env.render()
            self.assertEqual((picture.ndim, picture.shape[2], picture.dtype), (3, 3, np.uint8))
            for color in ((255, 140, 30), (50, 110, 255), (255, 215, 40)):
                self.assertTrue((picture == color).all(axis=2).any(), color)


class VectorEnv(unittest.TestCase):
    def test_same_bytes_whatever_n_is(self):
        options = {"opponents": "builtin", "mates": "random", "limit": 20}
        with touchline.VSSEnv(**options) as one, touchline.VSSVectorEnv(8, **options) as many:
            observations, _ = many.reset(seed=100)
            actions = np.random.default_rng(1).uniform(-1, 1, (20, 8, 2)).astype(np.float32)
            rewards = [many.step(a) for a in actions]
            for i in range(8):
                np.testing.assert_array_equal(one.reset(seed=100 + i)[0], observations[i])
                for t in range(20):
                    obs, reward, terminated, truncated, _ = one.step(actions[t, i])
                    self.assertEqual((reward, terminated, truncated),
                                     (rewards[t][1][i], rewards[t][2][i], rewards[t][3][i]))
                    if terminated or truncated:
                        np.testing.assert_array_equal(obs, rewards[t][4]["final_obs"][i])
                        break
                    np.testing.assert_array_equal(obs, rewards[t][0][i])

    def test_reset_of_some(self):
        with touchline.VSSVectorEnv(4) as env:
            env.reset(seed=1)
            before = env.step(np.full((4, 2), 0.5))[0]
            mask = np.array([True, False, False, True])
            after, _ = env.reset(seed=[9, 9, 9, 9], options={"reset_mask": mask})
            np.testing.assert_array_equal(after[~mask], before[~mask])
            np.testing.assert_array_equal(after[0], after[3])

    def test_views(self):
        with touchline.VSSVectorEnv(2, copy=False) as env:
            env.reset(seed=1)
            a = env.step(np.ones((2, 2)))[0]
            self.assertIs(a.base is None, False)
            before = a.copy()
            env.step(np.ones((2, 2)))
            self.assertFalse(np.array_equal(a, before))


class Gymnasium(unittest.TestCase):
    """The rules of gymnasium's checkers, which test_gymnasium.py runs where gymnasium is: these need numpy alone."""

    def test_same_bytes_for_each_set_of_options(self):
        for want, options in OPTION_SETS:
            self.assertEqual(whole_digest(options), want, options)

    def test_rules_of_check_env(self):
        for _, options in OPTION_SETS:
            with self.subTest(options), touchline.VSSEnv(**options) as env:
                self.assertTrue((env.action_space.high == 1).all() and (env.action_space.low == -1).all())
                self.assertTrue(np.isfinite(env.observation_space.low).all())
                observations, generators = [], []
                for seed in (123, None, 123, None, 456):
                    obs, info = env.reset(seed=seed)
                    self.assertTrue(env.observation_space.contains(obs) and isinstance(info, dict))
                    observations.append(obs)
                    generators.append(env.unwrapped._np_random.bit_generator.state)
                np.testing.assert_array_equal(observations[0], observations[2])
                np.testing.assert_array_equal(observations[1], observations[3])
                self.assertEqual((generators[0], generators[1]), (generators[2], generators[3]))
                self.assertNotEqual(generators[0], generators[4])
                env.action_space.seed(1)
                action, steps = env.action_space.sample(), []
                for _ in range(2):
                    env.reset(seed=5, options={})
                    before = env.np_random.bit_generator.state
                    steps.append(env.step(action))
                    self.assertEqual(env.np_random.bit_generator.state, before)  # a step draws nothing from it
                np.testing.assert_array_equal(steps[0][0], steps[1][0])
                self.assertEqual(repr(steps[0][1:]), repr(steps[1][1:]))
                self.assertEqual([type(v) for v in steps[0][1:4]], [float, bool, bool])
                env.close()  # once more at the end of with

    def test_own_random_numbers(self):
        with touchline.VSSEnv() as a, touchline.VSSEnv() as b:
            for env in a, b:
                env.np_random = np.random.default_rng(3)
            np.testing.assert_array_equal(a.reset()[0], b.reset()[0])

    def test_render_modes(self):
        for env in touchline.VSSEnv, lambda **options: touchline.VSSVectorEnv(2, **options):
            with env(k=4, render_mode="rgb_array") as pictures:
                self.assertEqual(pictures.metadata["render_modes"], ["human", "rgb_array"])
                self.assertAlmostEqual(pictures.metadata["render_fps"], 1 / 0.064)
        with touchline.VSSVectorEnv(2, render_mode="rgb_array") as vector:
            vector.reset(seed=1)
            pictures = vector.render()
            self.assertEqual((type(pictures), len(pictures), pictures[0].dtype), (tuple, 2, np.uint8))

    def test_autoreset_modes(self):
        modes = {mode.name: mode for mode in spaces.AutoresetMode}
        actions = np.random.default_rng(1).uniform(-1, 1, (7, 3, 2)).astype(np.float32)
        options = {"limit": 3, "opponents": "random"}
        with touchline.VSSVectorEnv(3, **options) as same, \
                touchline.VSSVectorEnv(3, autoreset_mode="NextStep", **options) as later, \
                touchline.VSSVectorEnv(3, autoreset_mode=modes["DISABLED"], **options) as never:
            self.assertIs(same.metadata["autoreset_mode"], modes["SAME_STEP"])
            self.assertIs(later.metadata["autoreset_mode"], modes["NEXT_STEP"])
            self.assertIs(never.metadata["autoreset_mode"], modes["DISABLED"])
            for env in same, later, never:
                env.reset(seed=7)
                for t in range(3):
                    last = env.step(actions[t])
                self.assertTrue(last[3].all())
                if env is same:
                    first, want = last[0], last[4]["final_obs"]
                    np.testing.assert_array_equal(last[4]["final_info"]["terms"], last[4]["terms"])
                else:
                    np.testing.assert_array_equal(last[0], want)
                    self.assertNotIn("final_obs", last[4])
            obs, rewards, terminated, truncated, infos = later.step(actions[3])
            np.testing.assert_array_equal(obs, first)
            self.assertFalse(rewards.any() or terminated.any() or truncated.any() or infos["_terms"].any())
            np.testing.assert_array_equal(later.step(actions[4])[0], same.step(actions[4])[0])
            self.assertRaisesRegex(RuntimeError, r"episodes of games \[0, 1, 2\] are over", never.step, actions[3])
            never.reset(options={"reset_mask": np.array([True, False, True])})
            self.assertRaisesRegex(RuntimeError, r"games \[1\] are over", never.step, actions[3])
            infos = never.reset(seed=4, options={"reset_mask": np.array([False, True, False])})[1]
            self.assertEqual(infos["_seed"].tolist(), [False, True, False])
            never.step(actions[3])

    def test_masks(self):
        with touchline.VSSVectorEnv(2, limit=2) as env:
            infos = [env.reset(seed=1)[1]] + [env.step(np.zeros((2, 2)))[4] for _ in range(3)]
        self.assertEqual(["final_obs" in i for i in infos], [False, False, True, False])
        for info in infos:
            for key in [key for key in info if not key.startswith("_")]:
                self.assertEqual((info["_" + key].dtype, info["_" + key].tolist()), (bool, [True, True]), key)

    def test_pickle(self):
        with touchline.VSSEnv(2, limit=9, opponents="random") as env:
            with pickle.loads(pickle.dumps(env)) as other, copy.deepcopy(env) as third:
                self.assertEqual(digest(env, 20, 3), digest(other, 20, 3))
                self.assertEqual(digest(env, 20, 3), digest(third, 20, 3))
        with Own(robots=5) as env, pickle.loads(pickle.dumps(env)) as other:
            self.assertEqual((type(other), other.observation_space.shape), (Own, (64,)))
        with touchline.VSSVectorEnv(num_envs=3, autoreset_mode="Disabled") as env:
            with pickle.loads(pickle.dumps(env)) as other:
                self.assertEqual((other.num_envs, other.metadata), (3, env.metadata))


class Page(unittest.TestCase):
    def get(self, env, path, host=None):
        at = urllib.parse.urlsplit(env._page.url)
        connection = http.client.HTTPConnection(at.hostname, at.port, timeout=60)
        try:
            connection.request("GET", path, headers={"Host": host or at.netloc})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def open(self, **options):
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            env = touchline.VSSVectorEnv(4, page="127.0.0.1:0", limit=2, **options)
        self.assertIn(env._page.url, printed.getvalue())
        return env

    def test_shows_a_training(self):
        with self.open() as env:
            env.reset(seed=1)
            for every, steps in ((1e9, 6), (0, 2)):
                env._page.curve.every = every  # s between two points
                for _ in range(steps):
                    env.step(np.zeros((4, 2)))
            status, page = self.get(env, "/")
            self.assertTrue(status == 200 and b"state.json" in page)
            state = json.loads(self.get(env, "/state.json")[1])
            self.assertEqual((state["games"], state["steps"], state["episodes"]), (4, 32, 16))
            self.assertEqual(state["points"][0][1:4], [16, 0, 0])
            status, picture = self.get(env, "/game/3.png?7")
            self.assertTrue(status == 200 and picture.startswith(b"\x89PNG"))
            length = struct.unpack(">I", picture[33:37])[0]
            rows = zlib.decompress(picture[41:41 + length])
            width, height = struct.unpack(">II", picture[16:24])
            pixels = np.frombuffer(rows, np.uint8).reshape(height, 1 + 3 * width)[:, 1:].reshape(height, width, 3)
            with touchline.VSSVectorEnv(4, render_mode="rgb_array", limit=2) as same:
                same.games.truth[:] = env.games.truth
                np.testing.assert_array_equal(pixels, same.render()[3])

    def test_refuses(self):
        with self.open() as env:
            for path, host, status in (
                ("/game/4.png", None, 404), ("/game/-1.png", None, 404), ("/game/.png", None, 404),
                ("/../env.py", None, 404), ("/", "evil.example:80", 403),
            ):
                self.assertEqual(self.get(env, path, host)[0], status, path)

    def test_curve_is_bounded(self):
        curve = page.Curve()
        for _ in range(3 * page.POINTS):
            curve.last -= curve.every
            curve.add(2, 1, 0, 3.0)
        self.assertLess(len(curve.points), page.POINTS)
        self.assertEqual(np.array(curve.points)[:, 1:].sum(0).tolist(), [k * 3 * page.POINTS for k in (2, 1, 0, 3)])

    def test_people_watch_in_real_time(self):
        with contextlib.redirect_stderr(io.StringIO()), \
                touchline.VSSEnv(4, render_mode="human", page="127.0.0.1:0") as env:
            env.reset(seed=1)
            slept = []
            with mock.patch("touchline.env.time") as clock:
                clock.sleep = slept.append
                for now in (100, 100.01, 100.5, 100.5):
                    clock.monotonic = lambda: now
                    env.step([0, 0])
            np.testing.assert_allclose(slept, [0, 0.054, 0, 0.064])  # the third step is late
            self.assertIsNone(env.render())


class BadInput(unittest.TestCase):
    def test_actions(self):
        with touchline.VSSVectorEnv(2) as env:
            env.reset(seed=1)
            for actions, error, text in (
                (np.zeros((2, 3)), ValueError, r"shape \(2, 3\), want \(2, 2\)"),
                (np.zeros(2), ValueError, r"shape \(2,\), want \(2, 2\)"),
                ([[0, 0], [0]], TypeError, "want numbers of shape"),
                ([["a", "b"], ["c", "d"]], TypeError, "want numbers of shape"),
                (None, ValueError, "shape"),
                ([[0, np.nan], [0, 0]], ValueError, "game 0.*finite"),
                ([[0, 0], [np.inf, 0]], ValueError, "game 1.*finite"),
            ):
                self.assertRaisesRegex(error, text, env.step, actions)
            env.step(np.zeros((2, 2)))  # it still works

    def test_options(self):
        for n, k, options, text in (
            (0, 1, {}, "games 0"), (100_000, 1, {}, "MiB of memory; the limit"), (1, 0, {}, "ticks 0"),
            (1, 1, {"robots": 4}, "3 or 5"), (1, 1, {"opponents": "me"}, "want one of"),
            (1, 1, {"weights": {"gaol": 1}}, "unknown key"), (1, 1, {"randomize": {"mass": [2, 1]}}, "smaller one first"),
            (1, 1, {"weights": {"goal": float("nan")}}, "JSON"), (1, 1, {"start": {"blue": [{"id": 7}]}}, "id"),
            (1, 1, {"self_play": True, "opponents": "still"}, "leave out opponents"),
            (1, 1, {"render_mode": "window"}, "'human' or 'rgb_array'"),
            (1, 1, {"page": "8015"}, "an address and a port"),
            (1, 1, {"autoreset_mode": "soon"}, "NextStep"),
        ):
            with self.assertRaisesRegex(ValueError, text, msg=options):
                touchline.VSSVectorEnv(n, k, **options)
        self.assertRaisesRegex(TypeError, "whole number", touchline.VSSVectorEnv, 1.5)

    def test_unknown_options(self):
        for make, text in (
            (lambda: touchline.VSSEnv(oponents="still"), "VSSEnv has no option 'oponents': did you mean 'opponents'?"),
            (lambda: touchline.VSSEnv(copy=False), "VSSEnv has no option 'copy': it has k, robots, agents"),
            (lambda: touchline.VSSEnv(max_episode_steps=9), "'max_episode_steps': did you mean 'limit'?"),
            (lambda: touchline.VSSVectorEnv(2, copi=False), "VSSVectorEnv has no option 'copi': did you mean 'copy'?"),
            (lambda: Own(robot=5), "Own has no option 'robot': did you mean 'robots'?"),
        ):
            with self.assertRaises(TypeError) as raised:
                make()
            self.assertIn(text, str(raised.exception))

    def test_seeds(self):
        with touchline.VSSVectorEnv(2) as env:
            for seed in ([1], [1, -1], [1, 2**64], [1, "a"]):
                self.assertRaises(ValueError, env.reset, seed=seed)
            self.assertRaisesRegex(ValueError, "reset_mask", env.reset, options={"reset_mask": [1, 0]})
            self.assertRaisesRegex(ValueError, "want reset_mask and start", env.reset, options={"stat": 1})


class Processes(unittest.TestCase):
    def test_a_program_that_dies_takes_its_games_along(self):
        code = f"""
import os, sys
sys.path.insert(0, {str(ROOT / 'python')!r})
import numpy, touchline
env = touchline.VSSVectorEnv(64)
env.reset(seed=1)
print(env.games._process.pid, flush=True)
while True:
    env.step(numpy.zeros((64, 2)))
"""
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        games = int(child.stdout.readline())
        time.sleep(0.2)
        child.kill()
        child.wait()
        child.stdout.close()
        for _ in range(1000):
            if not running(games):
                return
            time.sleep(0.01)
        os.kill(games, signal.SIGKILL)
        self.fail("the games run 10 s after their program was killed")

    def test_games_that_die(self):
        env = touchline.VSSEnv()
        env.reset(seed=1)
        env.games._process.kill()
        with self.assertRaisesRegex(RuntimeError, "touchline learn ended"):
            for _ in range(10):
                env.step([0, 0])

    def test_nothing_is_left(self):
        folder = pathlib.Path("/dev/shm")
        if not folder.is_dir():
            folder = pathlib.Path(tempfile.gettempdir())
        env = touchline.VSSEnv()
        env.reset(seed=1)
        mine = f"/proc/{env.games._process.pid}/maps"
        if os.path.exists(mine):
            maps = pathlib.Path(mine).read_text()
            self.assertRegex(maps, r"touchline-run-\d+/block \(deleted\)")
        process = env.games._process
        env.close()
        self.assertIsNotNone(process.poll())

    @unittest.skipUnless(hasattr(os, "fork"), "the system has no fork")
    def test_a_forked_process_has_no_games(self):
        with touchline.VSSEnv() as env:
            env.reset(seed=1)
            pid = os.fork()
            if pid == 0:
                try:
                    env.step([0, 0])
                except RuntimeError:
                    os._exit(7)
                os._exit(0)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 7)
            env.step([0, 0])

    def test_another_version(self):
        with tempfile.TemporaryDirectory() as folder:
            fake = pathlib.Path(folder) / "touchline"
            fake.write_text('#!/bin/sh\nread line\necho \'{"version":99}\'\ncat >/dev/null\n')
            fake.chmod(0o755)
            os.environ["TOUCHLINE"] = str(fake)
            try:
                self.assertRaisesRegex(RuntimeError, "version 99.*same sources", touchline.VSSEnv)
                os.environ["TOUCHLINE"] = folder + "/none"
                self.assertRaisesRegex(FileNotFoundError, "no program", touchline.VSSEnv)
            finally:
                os.environ["TOUCHLINE"] = BUILT


def running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A zombie that nobody has waited for yet has ended, too.
    stat = pathlib.Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rsplit(")", 1)[1].split()[0] == "Z")


class Program(unittest.TestCase):
    """How a package that is no part of a clone finds the program."""

    def run_in(self, folder, **environment):
        """Returns the output and the errors of a program that asks for the path, with the package in a folder."""
        shutil.copytree(ROOT / "python" / "touchline", folder / "site" / "touchline", dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("__pycache__"))
        code = "from touchline import program; print(program.find())"
        run = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, cwd=folder, env={
            "PYTHONPATH": str(folder / "site"), "HOME": str(folder), "PATH": str(folder / "bin"), **environment})
        return run.stdout.strip(), run.stderr

    def test_finds_it(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            out, errors = self.run_in(folder)
            self.assertEqual(out, "")
            for text in ("the program touchline, which plays the games, is missing", "go install ./cmd/touchline",
                         "https://go.dev/dl", "TOUCHLINE"):
                self.assertIn(text, errors)
            for place in ("go/bin", "bin"):  # that of go install, then one of the PATH, which comes first
                (folder / place).mkdir(parents=True)
                (folder / place / "touchline").symlink_to(BUILT)
                self.assertEqual(self.run_in(folder)[0], str(folder / place / "touchline"))

    def test_quick_start(self):
        go = shutil.which("go")
        if not go or subprocess.run([sys.executable, "-c", "import ensurepip"], capture_output=True).returncode:
            self.skipTest("the quick start needs Go, and Debian's package python3-venv")
        guide = (ROOT / "docs" / "learning.md").read_text()
        commands = guide.partition("## Quick start\n\n```sh\n")[2].partition("```")[0].splitlines()
        self.assertEqual(len([c for c in commands if "--play" in c]), 1)
        commands = [c.partition("#")[0].rstrip() for c in commands if "--play" not in c and "apt install" not in c]
        caches = subprocess.run([go, "env", "GOCACHE", "GOMODCACHE"], check=True, capture_output=True, text=True).stdout
        with tempfile.TemporaryDirectory() as home:
            script = "\n".join(commands).replace("score.py", f"score.py --seconds 1 --policy {home}/p --plot {home}/s.svg")
            script = script.replace("touchline.bench", "touchline.bench --seconds 0.1")
            path = os.pathsep.join(dict.fromkeys([*(os.path.dirname(p) for p in (sys.executable, go)), "/usr/bin", "/bin"]))
            environment = dict(zip(("GOCACHE", "GOMODCACHE"), caches.split()), HOME=home, PATH=path, PIP_NO_INDEX="1",
                               PYTHONDONTWRITEBYTECODE="1", GOFLAGS=os.environ.get("GOFLAGS", ""))
            run = subprocess.run(["bash", "-ec", script], cwd=ROOT, env=environment, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("VSSVectorEnv", run.stdout)


class Package(unittest.TestCase):
    def test_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            code = f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); import backend; print(backend.build_wheel({folder!r}))"
            out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT / "python")
            code = f"import sys; sys.path.insert(0, {folder + '/' + out.stdout.strip()!r}); import touchline; " \
                "e = touchline.VSSEnv(page='127.0.0.1:0'); e.reset(seed=1); e.close(); print(touchline.__file__); " \
                "import pkgutil; pkgutil.get_data('touchline', 'page.html')"
            out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=folder)
            self.assertIn(".whl/touchline", out.stdout)

    def test_example(self):
        sys.path.insert(0, str(ROOT / "python" / "examples"))
        import score

        weights, curve = np.zeros((2, score.parameters()), np.float32), []
        with touchline.VSSVectorEnv(8, score.TICKS, **score.TASK) as env:
            reward, scored = score.run(env, weights, [1, 2, 3, 4] * 2)
        np.testing.assert_array_equal(reward[:4], reward[4:])  # tries differ by their weights alone
        self.assertFalse(scored.any())  # a robot that stands
        trained = score.train(1, 1, lambda *point: curve.append(point))
        self.assertEqual(trained.shape, (score.parameters(),))
        self.assertTrue(np.isfinite(trained).all() and curve)
        with tempfile.TemporaryDirectory() as folder:
            score.svg([[(0, 0), (1, 0.5), (2, 1)]], folder + "/score.svg")
            self.assertIn("<polyline", pathlib.Path(folder, "score.svg").read_text())

    def test_example_overwrites_no_line_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            out = subprocess.run([sys.executable, ROOT / "python/examples/score.py", "--seconds", "1"], check=True,
                                 capture_output=True, cwd=folder).stdout
        self.assertNotIn(b"\r", out)
        self.assertTrue(out.startswith(b"seed 1: ") and out.count(b"\n") == 1, out)

    def test_mirrored_situations_have_mirrored_wheels(self):
        sys.path.insert(0, str(ROOT / "python" / "examples"))
        import score

        random = np.random.default_rng(1)
        weights = random.normal(0, 1, (1, score.parameters())).astype(np.float32)
        obs = random.uniform(-1, 1, (1, 5, 40)).astype(np.float32)
        mirrored = obs.copy()
        mirrored[..., [1, 3, 5, 6, 9, 10]] *= -1  # y, vy, sine and spin of ball and robot
        np.testing.assert_allclose(score.act(weights, obs), score.act(weights, mirrored)[..., ::-1], atol=1e-5)


class LiveTeam(unittest.TestCase):
    def test_sees_and_drives_a_simulator(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as a, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as b:
            a.bind(("127.0.0.1", 0))
            b.bind(("127.0.0.1", 0))
            vision, commands = a.getsockname(), b.getsockname()
        simulator = subprocess.Popen(
            [BUILT, "sim", "vss", "-H", "--vision", "%s:%d" % vision, "--commands", "%s:%d" % commands],
            stdout=subprocess.DEVNULL)
        team = live.Live(vision=vision, commands=commands, timeout=20)
        try:
            first = team.observe()
            self.assertEqual(first.shape, (40,))
            # FIRASim's start: the ball in the centre, blue 0 at x = 0.25 m, yellow 0 at -0.25 m.
            np.testing.assert_allclose(first[[0, 4, 5, 6, 7, 25]], [0, 0.25 / 0.9, 0, 0, 1, -0.25 / 0.9], atol=0.01)
            for _ in range(200):
                team.drive([1, 1])
                if team.observe()[4] > first[4] + 0.1:
                    break
            else:
                self.fail("blue 0 did not drive")
        finally:
            team.close()
            simulator.terminate()
            simulator.wait()

    def test_stands_while_the_referee_stops_play(self):
        with contextlib.ExitStack() as stack:
            sink, sender = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(2)]
            sink.bind(("127.0.0.1", 0))
            team = live.Live(vision=("127.0.0.1", 0), commands=sink.getsockname(), referee=("127.0.0.1", 0))
            stack.callback(team.close)
            to = ("127.0.0.1", team._referee.getsockname()[1])
            for command, factor in ((None, 60), (bytes([8, 4]), 0), (bytes([8, 6]), 60), (b"", 0)):
                if command is not None:
                    sender.sendto(command, to)
                    select.select([team._referee], [], [], 20)
                team.drive([1, 0.5])
                self.assertEqual(sink.recv(2048), live._message(1, live._command(False, 0, factor, factor / 2)), command)

    def test_example_plays_on_after_a_goal(self):
        sys.path.insert(0, str(ROOT / "python" / "examples"))
        import score

        names, options = ("vision", "commands", "referee"), ["-H", "--speed", "10"]
        with contextlib.ExitStack() as stack:
            ports = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(4)]
            for port in ports:
                port.bind(("127.0.0.1", 0))
            numbers = [port.getsockname()[1] for port in ports]
        addresses = dict(zip(names, (("127.0.0.1", numbers[0]), ("127.0.0.1", numbers[1]), ("224.5.23.2", numbers[2]))))
        for flag, to in zip(("vision", "commands", "referee-group"), addresses.values()):
            options += ["--" + flag, "%s:%d" % to]
        options += ["--placement-group", f"224.5.23.2:{numbers[3]}"]
        weights = np.zeros(score.parameters(), np.float32)  # a robot that stands
        games = score.match(weights, *options, timeout=20, **addresses)
        scored = 0  # ticks since the first goal
        for goals, obs in games:
            scored += sum(goals) > 0
            if scored and abs(obs[:2]).max() < 1e-3:
                break
            self.assertLess(scored, 3000, "48 s after a goal the ball was not in the centre again")
        self.assertFalse(obs[11:25].any())  # blue 1 and 2 are not on the field
        games.close()

    def test_sees_what_an_environment_sees(self):
        for side, yellow in enumerate((False, True)):
            with touchline.VSSEnv(self_play=True) as env:
                team = live.Live(yellow, vision=("127.0.0.1", 0))
                obs, _ = env.reset(seed=4)
                for _ in range(30):
                    obs = env.step(np.full((2, 2), (0.7, 0.4)))[0]
                np.testing.assert_allclose(team.observation(list(live._fields(frame(env.games.truth[0])))), obs[side],
                                           atol=1e-5)
                team.close()


def frame(truth):
    """Returns FIRASim's Frame of a true state."""
    def doubles(numbers):
        return b"".join(bytes([i << 3 | 1]) + struct.pack("<d", v) for i, v in numbers)

    x, y, z, vx, vy, _ = truth[:6].astype(float)
    b = live._message(1, doubles(((1, x), (2, y), (3, z), (4, vx), (5, vy))))
    for team, number in ((0, 3), (1, 2)):
        for i, (_, *values) in enumerate(truth[6:].reshape(2, -1, 7)[team].astype(float)):
            b += live._message(number, bytes([1 << 3, i]) + doubles(zip((2, 3, 4, 5, 6, 7), values)))
    return b


if __name__ == "__main__":
    unittest.main()
