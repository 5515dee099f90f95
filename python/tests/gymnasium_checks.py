"""Gymnasium's own checkers and wrappers over the environments. test_gymnasium.py runs them."""

import itertools
import pickle
import unittest

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers
from test_touchline import OPTION_SETS, whole_digest

import touchline

ID = "touchline/VSS-v0"


def steps(env, count, seed):
    """Returns all that an environment answers to random actions."""
    random = np.random.default_rng(seed)
    yield env.reset(seed=seed)
    for _ in range(count):
        yield env.step(random.uniform(-1, 1, env.action_space.shape).astype(np.float32))


class Single(unittest.TestCase):
    def test_check_env(self):
        for _, options in OPTION_SETS:
            with self.subTest(options):
                env = gymnasium.make(ID, **options).unwrapped
                self.assertIs(type(env), touchline.VSSEnv)
                check_env(env)  # -W error: a warning fails, too
                env.close()

    def test_check_env_of_a_policy(self):
        env = gymnasium.make(ID, opponents=chase, render_mode="rgb_array").unwrapped
        check_env(env)
        env.close()

    def test_same_bytes_as_without_gymnasium(self):
        for want, options in OPTION_SETS[:5]:
            self.assertEqual(whole_digest(options), want, options)

    def test_wrapped_environments(self):
        env = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.make(ID, max_episode_steps=5))
        *_, last = steps(env, 5, 1)
        self.assertTrue(last[3])
        self.assertEqual(last[4]["episode"]["l"], 5)
        copy = pickle.loads(pickle.dumps(env.unwrapped))
        self.assertEqual(copy.spec, env.unwrapped.spec)
        copy.close()
        env.close()

    def test_unknown_option(self):
        with self.assertRaisesRegex(TypeError, "VSSEnv has no option 'robot'"):
            gymnasium.make(ID, robot=5)


def chase(obs):
    return np.array([1, 1], np.float32)


class Vector(unittest.TestCase):
    def test_make_vec(self):
        env = gymnasium.make_vec(ID, num_envs=3, opponents="builtin", autoreset_mode="NextStep")
        self.assertEqual((type(env), env.num_envs), (touchline.VSSVectorEnv, 3))
        self.assertIs(env.metadata["autoreset_mode"], AutoresetMode.NEXT_STEP)
        env.close()
        self.assertTrue(env.closed)

    def test_equals_gymnasiums_own_vector(self):
        for mode in AutoresetMode:
            env = gymnasium.make_vec(ID, num_envs=3, limit=3, autoreset_mode=mode)
            own = SyncVectorEnv([lambda: touchline.VSSEnv(limit=3)] * 3, autoreset_mode=mode)
            # Up to the end of the first episodes: the next ones are of seeds that each environment draws.
            for t, (a, b) in enumerate(zip(steps(env, 3, 5), steps(own, 3, 5))):
                if not (t == 3 and mode is AutoresetMode.SAME_STEP):
                    np.testing.assert_array_equal(a[0], b[0])
                np.testing.assert_allclose(np.array(a[1:-1], float), np.array(b[1:-1], float))
            self.assertGreaterEqual(a[4].keys(), b[4].keys() - {"seed", "_seed"})
            if mode is AutoresetMode.SAME_STEP:
                for key in "_final_obs", "_final_info":
                    np.testing.assert_array_equal(a[4][key], b[4][key])
                for i in range(3):
                    np.testing.assert_array_equal(a[4]["final_obs"][i], b[4]["final_obs"][i])
                terms = np.stack([b[4]["final_info"]["terms"][name] for name in env.games.term_names], 1)
                np.testing.assert_allclose(a[4]["final_info"]["terms"], terms)
            env.close()
            own.close()

    def test_wrappers(self):
        anywhere = [wrappers.RecordEpisodeStatistics, wrappers.NormalizeReward, wrappers.DictInfoToList,
                    lambda env: wrappers.ClipReward(env, -1, 1), lambda env: wrappers.ClipAction(env),
                    lambda env: wrappers.TransformReward(env, lambda r: 2 * r)]
        where = {mode: list(anywhere) for mode in AutoresetMode}
        for mode in AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED:  # gymnasium refuses the other one
            where[mode].append(lambda env: wrappers.RescaleObservation(env, np.float32(-1), np.float32(1)))
        where[AutoresetMode.NEXT_STEP].append(wrappers.NormalizeObservation)
        for mode, wraps in where.items():
            for wrap in wraps:
                with self.subTest(mode=mode, wrap=wrap):
                    env = wrap(gymnasium.make_vec(ID, num_envs=2, limit=4, autoreset_mode=mode))
                    env.reset(seed=1)
                    env.action_space.seed(1)
                    for _ in range(10):
                        _, rewards, terminated, truncated, _ = env.step(env.action_space.sample())
                        self.assertEqual(rewards.shape, (2,))
                        if mode is AutoresetMode.DISABLED and truncated.any():
                            env.reset(options={"reset_mask": terminated | truncated})
                    env.close()

    def test_episode_statistics(self):
        for mode in AutoresetMode:
            env = wrappers.RecordEpisodeStatistics(gymnasium.make_vec(ID, num_envs=2, limit=4, autoreset_mode=mode))
            for count, step in zip(itertools.count(), steps(env, 9 if mode is not AutoresetMode.DISABLED else 4, 1)):
                if count in (4, 8 + (mode is AutoresetMode.NEXT_STEP)):
                    self.assertEqual(step[4]["episode"]["l"].tolist(), [4, 4], mode)
            env.close()

    def test_asynchronous_vector(self):
        env = AsyncVectorEnv([lambda: touchline.VSSEnv(limit=3)] * 2)
        *_, last = steps(env, 3, 1)
        self.assertTrue(last[3].all())
        env.close()


if __name__ == "__main__":
    unittest.main()
