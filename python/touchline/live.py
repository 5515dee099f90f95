"""Plays a policy against a simulator or FIRASim over the network: vision in, wheel speeds out (docs/firasim.md)."""

import math
import socket
import struct

import numpy as np

from .spaces import BOUND

VISION, COMMANDS, REFEREE = ("224.0.0.1", 10002), ("127.0.0.1", 20011), ("224.5.23.2", 10003)
GAME_ON = 6  # of the referee's commands


def _fields(b):
    """Yields (number, value) of a protobuf message: int, float, or bytes."""
    i = 0

    def varint():
        nonlocal i
        value = shift = 0
        while True:
            value |= (b[i] & 127) << shift
            shift, i = shift + 7, i + 1
            if b[i - 1] < 128:
                return value

    while i < len(b):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            n = 8 if key & 7 == 1 else varint()
            value, i = b[i:i + n], i + n
            yield key >> 3, struct.unpack("<d", value)[0] if key & 7 == 1 else value


def _message(number, b):
    """Returns a message inside a message."""
    n, length = len(b), b""
    while n > 127:
        length, n = length + bytes([n & 127 | 128]), n >> 7
    return bytes([number << 3 | 2]) + length + bytes([n]) + b


def _command(yellow, robot, left, right):
    team = bytes([2 << 3, 1]) if yellow else b""
    return _message(1, bytes([1 << 3, robot]) + team + struct.pack("<BdBd", 6 << 3 | 1, left, 7 << 3 | 1, right))


def _receiver(address, interface):
    """Returns a socket that receives at an address: of a multicast group, or of this machine."""
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    receiver.bind(("", address[1]))
    if 224 <= int(address[0].split(".")[0]) < 240:
        member = socket.inet_aton(address[0]) + socket.inet_aton(interface)
        receiver.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
    return receiver


class Live:
    """A team of a running simulator, seen as the environments see it.

        live = touchline.live.Live()
        while True:
            live.drive(policy(live.observe()))

    robots is 3 or 5; max_wheel (rad/s) is that of the environment that the policy learnt in. With referee=live.REFEREE the
    robots stand while the referee stops play.
    """

    def __init__(self, yellow=False, robots=3, max_wheel=60, wheel_radius=0.02, vision=VISION, commands=COMMANDS,
                 interface="127.0.0.1", timeout=None, referee=None):
        self.yellow, self.robots, self.wheel = yellow, robots, max_wheel
        self.speed, self.commands = max_wheel * wheel_radius, commands
        half, depth = (0.75, 0.15) if robots == 3 else (1.1, 0.15)
        self.size = half + depth
        self.step, self.goals = 0, (0, 0)
        self._seen = np.zeros(4 + 12 * robots, np.float32)
        self._socket, self._referee, self._command = _receiver(vision, interface), None, GAME_ON
        self._socket.settimeout(timeout)
        if referee:
            self._referee = _receiver(referee, interface)
            self._referee.setblocking(False)

    def observe(self):
        """Waits for a vision packet and returns the observation of the team: that of VSSEnv."""
        environment = dict(_fields(self._socket.recv(2048)))
        self.step, self.goals = environment.get(1, 0), (environment.get(4, 0), environment.get(5, 0))
        return self.observation(list(_fields(environment.get(2, b""))))

    def observation(self, frame):
        """Returns the observation of a frame, the fields of FIRASim's Frame."""
        o, sign = self._seen, -1 if self.yellow else 1
        own, other = (2, 3) if self.yellow else (3, 2)
        spin = self.speed / 0.04
        for number, value in frame:
            f = dict(_fields(value))
            if number == 1:
                o[:4] = [sign * f.get(i, 0.0) / scale for i, scale in
                         ((1, self.size), (2, self.size), (4, self.speed), (5, self.speed))]
                continue
            robot = f.get(1, 0)
            if robot >= self.robots or number not in (own, other):
                continue
            place = [sign * f.get(2, 0.0) / self.size, sign * f.get(3, 0.0) / self.size]
            moves = [sign * f.get(5, 0.0) / self.speed, sign * f.get(6, 0.0) / self.speed, f.get(7, 0.0) / spin]
            if number == own:
                heading = [sign * math.sin(f.get(4, 0.0)), sign * math.cos(f.get(4, 0.0))]
                o[4 + 7 * robot:][:7] = place + heading + moves
            else:
                o[4 + 7 * self.robots + 5 * robot:][:5] = place + moves
        return np.clip(o, -BOUND, BOUND)

    def playing(self):
        """Returns whether the referee lets the teams play: also without a referee, and before its first command."""
        while self._referee:
            try:
                self._command = dict(_fields(self._referee.recv(2048))).get(1, 0)
            except BlockingIOError:
                break
        return self._command == GAME_ON

    def drive(self, actions):
        """Sends actions, -1 to 1: two wheels of each robot, by id; robots without one are not driven."""
        wheels = np.clip(np.asarray(actions, float).reshape(-1, 2), -1, 1) * (self.wheel if self.playing() else 0)
        packet = b"".join(_command(self.yellow, i, left, right) for i, (left, right) in enumerate(wheels))
        self._socket.sendto(_message(1, packet), self.commands)

    def close(self):
        self._socket.close()
        if self._referee:
            self._referee.close()

