"""A team for `touchline match`: robots that share one program. See docs/match.md. The team's number is 1 home, 2 away.

python3 docs/team.py 127.0.0.1:23020 2        in real time, --away external: the field's address and the team's number
python3 docs/team.py - 2                      in lockstep, --away 'program:python3 docs/team.py - {team} {robots}'
"""
import hmac, math, os, select, signal, socket, struct, sys, time

LOCKSTEP = sys.argv[1] == "-"             # over standard input and output; print would break it
HOST, PORT = ("", 0) if LOCKSTEP else sys.argv[1].split(":")
KEY = os.environ.get("TOUCHLINE_KEY", "").encode()  # of the team, from a lobby; without one nothing is signed
TEAM, ROBOTS = int(sys.argv[2]), range(1, int((sys.argv[3:] or ["5"])[0]) + 1)
FIELD, TELEMETRY, SENSE, MOTOR, REFEREE, CMD = 200, 2, 6, 7, 5, 1  # docs/teamcom.md
RUNNING, WAITING, OURS, THEIRS = 3, 2, 1, 2  # state of the game, side of a set piece
PERIOD, FRESH, SILENT = 0.02, 0.5, 1.0    # s
GOAL, HALF_WIDTH, BALL_GAP = 9.0, 6.0, 0.45
HOMES = {2: (-5.0, 2.2), 3: (-5.0, -2.2), 4: (-1.5, 3.2), 5: (-1.5, -3.2)}

HEADER = struct.Struct("<3s9BIQQB3xIQ")
PIECE = struct.Struct("<BBHIQH")
PERCEPTS = struct.Struct("<BB13f3fBB")
SIGHTING = struct.Struct("<BB7f")
MOTORS = struct.Struct("<BBI4fI4f")
GAME = struct.Struct("<7BIQ")
TABLE = []
for c in range(256):
    for _ in range(8):
        c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
    TABLE.append(c)

def crc32c(b):
    c = 0xFFFFFFFF
    for byte in b:
        c = c >> 8 ^ TABLE[(c ^ byte) & 255]
    return struct.pack("<I", c ^ 0xFFFFFFFF)

def clock():
    """Returns the time in ns: in lockstep that of the match, so that the same seed gives the same match."""
    return int(turns * PERIOD * 1e9) if LOCKSTEP else time.monotonic_ns()

def tag(b):
    return hmac.digest(KEY, b, "sha256")[:16] if KEY else b""

def messages(datagram):
    if len(datagram) < 52 or HEADER.unpack_from(datagram)[:4] != (b"TCM", 1, len(KEY) > 0, TEAM):
        return
    at, end = HEADER.size, len(datagram) - 4 - 16 * bool(KEY)
    if not hmac.compare_digest(tag(datagram[:end]), datagram[end:-4]):
        return
    while at + PIECE.size <= end:
        fragment, _, kind, _, _, length = PIECE.unpack_from(datagram, at)
        at += 32 if fragment else 18
        if not fragment:
            yield kind, datagram[at:at + length]
        at += length

class Robot:
    def __init__(self, number):
        self.number, self.socket = number, None if LOCKSTEP else socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.boot = 1 if LOCKSTEP else max(1, int(10 * (time.time() - 1577836800)))
        self.sequence = self.kicks = self.sent = self.arrived = 0
        self.x = self.y = self.heading = self.seen = self.told = self.out = 0
        self.held, self.ball, self.near, self.game = False, None, [], (0,) * 4

    def receive(self, datagram):
        for kind, data in messages(datagram):
            if kind == SENSE and data[0] == 1 and data[40] & 1:
                percepts = PERCEPTS.unpack_from(data, 39)
                self.held, (self.x, self.y, self.heading) = percepts[0] & 1, percepts[2:5]
                self.sent, self.arrived = HEADER.unpack_from(datagram)[12], clock()
                self.seen, at = clock() / 1e9, 39 + PERCEPTS.size
                balls, others = percepts[-2:]
                sights = [SIGHTING.unpack_from(data, at + i * SIGHTING.size)[2:5:2] for i in range(balls + others)]
                self.ball = self.place(*sights[0]) if balls else None
                self.near = [s for s in sights[balls:] if s[0] < 0.9]
            elif kind == REFEREE and data[0] == 1:
                _, state, part, piece, side, _, _, _, out = GAME.unpack_from(data)
                self.game, self.out, self.told = (state, part, piece, side), out >> self.number & 1, clock() / 1e9

    def place(self, distance, bearing):
        angle = self.heading + bearing
        return self.x + distance * math.cos(angle), self.y + distance * math.sin(angle)

    def drive(self, to, face, most=2.5):
        """Returns vx, vy and the turn that lead to a place and face a point, around what is near."""
        dx, dy = to[0] - self.x, to[1] - self.y
        way = math.hypot(dx, dy)
        speed, angle = min(most, 2 * way), math.atan2(dy, dx) - self.heading
        vx, vy = speed * math.cos(angle), speed * math.sin(angle)
        for distance, bearing in self.near:
            push = 1.5 * max(0, 0.9 - distance)
            vx, vy = vx - push * math.cos(bearing), vy - push * math.sin(bearing)
        turn = math.remainder(math.atan2(face[1] - self.y, face[0] - self.x) - self.heading, 2 * math.pi)
        return vx, vy, max(-3, min(3 * turn, 3))

    def decide(self, ball, nearest, taken):
        """Returns vx, vy, turn and the speed of a kick. taken: the set piece is over."""
        state, _, piece, side = self.game
        piece = 0 if taken else piece
        now = clock() / 1e9
        if now - self.told > SILENT or now - self.seen > FRESH or state not in (WAITING, RUNNING):
            return 0, 0, 0, 0
        if self.out:
            return *self.drive((self.x, -HALF_WIDTH - 0.6), (self.x, 0)), 0
        bx, by = ball or (0, 0)
        if self.number == 1:              # the keeper stays on the line between ball and goal
            return *self.drive((-GOAL + 0.45, max(-0.9, min(by * 0.25, 0.9))), (bx, by)), 6 if self.held else 0
        if state == RUNNING and self.number == nearest and not (piece and side == THEIRS):
            if self.held:
                aim = math.remainder(math.atan2(-self.y, GOAL - self.x) - self.heading, 2 * math.pi)
                if piece and side == OURS:  # a set piece is a pass
                    return 0, 0, 0, 3
                return (0, 0, 0, 8) if abs(aim) < 0.12 else (0.3, 0, max(-1.8, min(2 * aim, 1.8)), 0)
            goal = math.atan2(by, bx - GOAL)   # from the goal to the ball: drive behind it
            behind = (bx + BALL_GAP * math.cos(goal), by + BALL_GAP * math.sin(goal))
            close = math.hypot(behind[0] - self.x, behind[1] - self.y) < 0.35
            return *self.drive((bx, by) if close else behind, (bx, by)), 0
        hx, hy = HOMES[self.number]
        x, y = hx + (0.4 * bx if not piece else min(0, 0.3 * bx)), hy + 0.2 * by
        if piece == 1:
            x = min(x, -0.6)              # the own half at a kick-off
        keep, away = (3.3 if side != OURS else 2.3) if piece else 1.5, math.hypot(x - bx, y - by)
        if away < keep:                   # far enough from the ball, towards the own goal
            x, y = bx - keep, by + math.copysign(0.5, y - by)
        x, y = max(-GOAL + 2.6, min(x, GOAL - 2.6)), max(-HALF_WIDTH, min(y, HALF_WIDTH))
        return *self.drive((x, y), (bx, by)), 0

    def send(self, vx, vy, turn, kick):
        self.sequence += 1
        self.kicks += kick > 0
        now, echo = clock(), 2 if self.sent else 0
        motor = MOTORS.pack(1, 0, self.sequence, vx, vy, turn, 1, self.boot + self.kicks if kick else 0, kick, 0, 0, 0)
        header = HEADER.pack(b"TCM", 1, len(KEY) > 0, TEAM, 1, self.number, 2, FIELD, TELEMETRY, echo, self.boot, self.sequence,
                             now, FIELD if echo else 0, (now - self.arrived) // 1000 if echo else 0, self.sent)
        datagram = header + PIECE.pack(0, CMD, MOTOR, self.sequence, now, len(motor)) + motor
        datagram += tag(datagram)
        datagram += crc32c(datagram)
        if LOCKSTEP:
            sys.stdout.buffer.write(struct.pack("<I", len(datagram)) + datagram)
        else:
            self.socket.sendto(datagram, (HOST, int(PORT) + TELEMETRY))

def turn():
    """Receives the datagrams of a turn, up to the empty frame. The match is over where the input ends."""
    while len(head := sys.stdin.buffer.read(4)) == 4:
        length, = struct.unpack("<I", head)
        if not length:
            return
        datagram = sys.stdin.buffer.read(length)
        for r in robots.values():
            if datagram[9] in (0, r.number):  # the destination; 0: all robots
                r.receive(datagram)
    sys.exit()

def wait():
    """Receives what comes until the next control period."""
    while (left := due - clock() / 1e9) > 0:
        for s in select.select(sockets, [], [], left)[0]:
            try:
                sockets[s].receive(s.recv(2048))
            except ConnectionError:
                sys.exit("the match is over")

signal.signal(signal.SIGINT, lambda *_: sys.exit())  # of touchline join: the match is over
robots = {n: Robot(n) for n in ROBOTS}
sockets = {r.socket: r for r in robots.values()}
turns, ball, nearest, spot, since, taken = 0, None, 0, None, 0, False
due = clock() / 1e9
while True:
    due = max(due + PERIOD, clock() / 1e9)
    turn() if LOCKSTEP else wait()
    seen = [r for r in robots.values() if r.ball and due - r.seen < FRESH and not r.out]
    if seen:                              # the robot that is nearest to the ball knows best where it is
        best = min(seen, key=lambda r: math.dist(r.ball, (r.x, r.y)))
        ball = best.ball
        fit = [r for r in robots.values() if r.number > 1 and due - r.seen < FRESH and not r.out]
        bonus = lambda r: math.dist(ball, (r.x, r.y)) - (0.5 if r.number == nearest else 0)
        nearest = min(fit, key=bonus).number if fit else 0
    if max(robots.values(), key=lambda r: r.told).game[0] != RUNNING:
        spot, since, taken = ball, due, False
    taken = taken or due - since > 9 or ball and spot and math.dist(ball, spot) > 1
    for r in robots.values():
        r.send(*r.decide(ball, nearest, taken))
    if LOCKSTEP:
        sys.stdout.buffer.write(bytes(4))  # the turn ends
        sys.stdout.buffer.flush()
        turns += 1
