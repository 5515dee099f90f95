"""Runs gymnasium's own checkers where the environment variable GYMNASIUM names a folder to import it from:

    python3 -m venv /tmp/gym && /tmp/gym/bin/pip install gymnasium
    GYMNASIUM=$(echo /tmp/gym/lib/python3*/site-packages) python3 -m unittest discover -s python/tests

test_touchline.py has the rules that they check without gymnasium.
"""

import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).parent
FOLDER = os.environ.get("GYMNASIUM")


class RealGymnasium(unittest.TestCase):
    @unittest.skipUnless(FOLDER, "GYMNASIUM names no folder with the package gymnasium: its own checkers do not run")
    def test_its_checkers(self):
        path = os.pathsep.join([str(HERE.parent), str(HERE), FOLDER])
        run = subprocess.run([sys.executable, "-B", "-W", "error", "-m", "unittest", "gymnasium_checks"], cwd=HERE,
                             env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
