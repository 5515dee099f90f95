"""Robot soccer of the Very Small Size league as an environment for reinforcement learning.

    import touchline
    env = touchline.VSSEnv(opponents="builtin")
    obs, info = env.reset(seed=7)
    obs, reward, terminated, truncated, info = env.step(env.action_space.sample())

The games run in a process of the program touchline. The package needs numpy; where gymnasium is installed, the
environments are gymnasium's. docs/learning.md has the observations, the rewards and all options.
"""

from .env import VSSEnv, VSSVectorEnv
from .games import Games, State
from .spaces import register

register()

__all__ = ["Games", "State", "VSSEnv", "VSSVectorEnv"]
