"""A robot that touchline manages, from docs/manager.md alone: a picture, three parameters, driving, and a kick.

python3 docs/manager.py 9 23090 127.0.0.1:23110     the robot's id, its base port, and the base port of computer:1
"""
import math, random, select, socket, struct, sys, time

ROBOT, BASE, (HOST, PORT) = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].split(":")
TEAM, COMPUTER, MANAGER = 1, 1, 8
BULK, TELEMETRY, COMMAND = 1, 2, 3        # sockets
IMAGE, PARAMETERS, DRIVE, ATTEND, MANAGEMENT, CHALLENGE, REQUEST, ANSWER = 32, 34, 35, 38, 39, 40, 41, 42
TAKE, GIVE_UP, SET, CHECKS = 0, 1, 2, (6, 7)  # operations
DONE, ADJUSTED, REFUSED = 0, 1, 2         # results
FREE, READY, DRIVING, LAPSED = 0, 1, 2, 3
LEASE, NONCE_FOR, SILENT, HOLD = 0.3, 2.0, 2.0, 3.0  # s
WIDTH, HEIGHT, PIECE_SIZE = 64, 48, 1200
KICKS = [("push", 2.0, 0.0)]

HEADER, PIECE, FRAGMENT = struct.Struct("<3s9BIQQB3xIQ"), struct.Struct("<BBHIQH"), struct.Struct("<HHIIBx")
TABLE = []
for c in range(256):
    for _ in range(8):
        c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
    TABLE.append(c)

def crc32c(b):
    c = 0xFFFFFFFF
    for byte in b:
        c = c >> 8 ^ TABLE[(c ^ byte) & 255]
    return c ^ 0xFFFFFFFF

def text(s):
    b = s.encode()
    return bytes([len(b)]) + b

class Node:
    """Four sockets, and the numbers of datagrams and messages (docs/teamcom.md)."""
    def __init__(self):
        self.sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(4)]
        for i, s in enumerate(self.sockets):
            s.bind(("127.0.0.1", BASE + i))
        self.boot, self.sequence, self.numbers, self.echo = max(1, int(10 * (time.time() - 1577836800))), [0] * 4, {}, (0, 0)

    def send(self, sock, kind, payload):
        number = self.numbers[kind] = self.numbers.get(kind, -1) + 1
        now = time.monotonic_ns()
        if len(payload) <= PIECE_SIZE:
            return self.datagram(sock, PIECE.pack(0, MANAGER, kind, number, now, len(payload)) + payload)
        count, total = -(-len(payload) // PIECE_SIZE), crc32c(payload)
        for i in range(count):
            part = payload[i * PIECE_SIZE:(i + 1) * PIECE_SIZE]
            self.datagram(sock, PIECE.pack(1, MANAGER, kind, number, now, len(part)) +
                          FRAGMENT.pack(i, count, len(payload), total, 0) + part)

    def datagram(self, sock, pieces):
        self.sequence[sock] += 1
        now, (sent, arrived) = time.monotonic_ns(), self.echo
        kind = 2 if sent else 0
        b = HEADER.pack(b"TCM", 1, 0, TEAM, 1, ROBOT, 2, COMPUTER, sock, kind, self.boot, self.sequence[sock], now,
                        COMPUTER if sent else 0, (now - arrived) // 1000 if sent else 0, sent) + pieces
        self.sockets[sock].sendto(b + struct.pack("<I", crc32c(b)), (HOST, int(PORT) + sock))

    def receive(self, wait):
        for s in select.select(self.sockets, [], [], wait)[0]:
            b = s.recv(2048)
            if len(b) < 52 or b[:6] != bytes([84, 67, 77, 1, 0, TEAM]) or b[6:8] != bytes([2, COMPUTER]) or \
                    struct.pack("<I", crc32c(b[:-4])) != b[-4:]:
                continue
            self.echo, at = (HEADER.unpack_from(b)[12], time.monotonic_ns()), HEADER.size
            while at + PIECE.size <= len(b) - 4:
                fragment, _, kind, _, _, length = PIECE.unpack_from(b, at)
                at += 32 if fragment else 18
                if not fragment:          # managers send robots whole messages, except files
                    yield kind, b[at:at + length]
                at += length

class Robot:
    def __init__(self):
        self.table, self.nonces = random.randrange(1, 1 << 32), {}
        self.holder, self.name, self.alive, self.heard, self.rate, self.since = 0, "", 0, 0, 0, 0
        self.until, self.sequence, self.drove, self.velocity, self.kick = 0, 0, False, (0, 0, 0), 0
        self.answers = {}                 # by page: number, the answer to it, and when
        # name, unit, value, default, least, most, revision, changed by
        self.parameters = [["exposure", "ms", 8.0, 8.0, 0.1, 20.0, 1, ""], ["gain", "dB", 6.0, 6.0, 0.0, 24.0, 2, ""],
                           ["speed", "m/s", 1.0, 1.0, 0.0, 2.0, 3, ""]]

    def nonce(self, now):
        n = random.getrandbits(64)
        self.nonces = {k: t for k, t in self.nonces.items() if now - t < NONCE_FOR}
        self.nonces[n] = now
        return n

    def state(self, now):
        return FREE if not self.holder else READY if not self.drove else DRIVING if now < self.until else LAPSED

    def revision(self):
        return max(p[6] for p in self.parameters)

    def management(self, now):
        b = struct.pack("<BIIIQBI", 1, self.table, self.revision(), len(self.parameters), self.nonce(now),
                        COMPUTER if self.holder else 0, self.holder) + text(self.name)
        b += struct.pack("<BIIII5fB", self.state(now), self.kick, 0, 0, 0, 1.0, 1.0, 2.0, 0, 0, len(KICKS))
        return b + b"".join(text(n) + struct.pack("<ff", speed, rise) for n, speed, rise in KICKS)

    def changes(self):
        new = sorted((p for p in self.parameters if p[6] > self.since), key=lambda p: p[6])
        b = struct.pack("<BIIIIB", 1, self.table, self.since, self.revision(), self.revision(), len(new))
        for name, unit, value, default, least, most, revision, by in new:
            b += struct.pack("<BBBI", 0, 0, 2 if by else 0, revision) + text(name) + text("camera") + text(unit)
            b += struct.pack("<5fB", value, default, least, most, 0, 0) + text(by)
        self.since = self.revision()
        return b

    def request(self, b, now):
        _, page, nonce, number, operation, _, value = struct.unpack_from("<BIQIBQf", b)
        if now - self.nonces.get(nonce, -9) > NONCE_FOR:
            return None                   # of an old log, or too late
        last, answer, at = self.answers.get(page, (0, b"", now))
        if now - at > NONCE_FOR:          # none of its requests can arrive again
            last = 0
        if number < last:
            return None
        if number > last:
            name = b[31:31 + b[30]].decode()
            result, value, why = self.execute(page, operation, value, name, now)
            answer = struct.pack("<BIIBfI", 1, page, number, result, value, self.revision()) + text(why) + b"\0"
        self.answers[page] = number, answer, now
        return answer

    def execute(self, page, operation, value, name, now):
        if operation == TAKE:
            self.holder, self.name, self.alive, self.drove, self.until, self.kick = page, name[:32], now, False, 0, 0
            return DONE, 0, ""
        if page != self.holder:
            return REFUSED, 0, "take the control first"
        if operation == GIVE_UP:
            self.holder, self.name, self.drove = 0, "", False
            return DONE, 0, ""
        if operation in CHECKS:
            return REFUSED, 0, "this robot executes no checks"
        for p in self.parameters:
            if operation == SET and p[0] == name:
                took = min(max(value, p[4]), p[5])
                p[2], p[6], p[7] = took, self.revision() + 1, self.name
                return (DONE, took, "") if took == value else (ADJUSTED, took, f"the robot took {took:g}")
        return REFUSED, 0, "the robot does not know that"

    def drive(self, b, now):
        _, _, page, nonce, sequence, vx, vy, turn = struct.unpack_from("<BBIQIfff", b)
        left, kick = self.nonces.get(nonce, -9) + LEASE, struct.unpack_from("<I", b, 42)[0]
        if page != self.holder or now >= left or self.drove and sequence <= self.sequence:
            return
        self.drove, self.sequence, self.velocity, self.until = True, sequence, (vx, vy, turn), max(self.until, left)
        if kick > self.kick and b[46] < len(KICKS):
            self.kick = kick
            print(f"kick {KICKS[b[46]][0]}", flush=True)

def picture(t):
    """A raw picture, YCbCr 4:2:0 in slices of two rows: a ball that moves on green."""
    bx, slices = WIDTH / 2 + 20 * math.sin(t), []
    for y in range(0, HEIGHT, 2):
        ball = [math.hypot(x - bx, y - HEIGHT / 2) < 8 for x in range(WIDTH)]
        luma = bytes(150 if inside else 90 for inside in ball)
        slices.append(luma * 2 + bytes(60 if b else 110 for b in ball[::2]) + bytes(190 if b else 100 for b in ball[::2]))
    b, first = b"", True
    geometry = struct.pack("<BBBBHHHHH", 1, 1, 0, 1, WIDTH, HEIGHT, 2, 0, 0)
    for i, s in enumerate(slices):        # each slice is in one piece
        if first or PIECE_SIZE - len(b) % PIECE_SIZE < 2 + len(s):
            b += bytes(-len(b) % PIECE_SIZE) + geometry + struct.pack("<HH", i, 18)
            first = False
        b += struct.pack("<H", len(s)) + s
    return b

node, robot = Node(), Robot()
due = {"report": 0, "challenge": 0, "picture": 0}
moved = None
print(f"robot:{ROBOT} waits for computer:{COMPUTER}", flush=True)
while True:
    for kind, b in node.receive(0.01):
        now = time.monotonic()
        if kind == ATTEND:
            _, holder, table, since, robot.rate = struct.unpack_from("<BIIIB", b)
            robot.heard, robot.since = now, since if table == robot.table else 0
            if holder and holder == robot.holder:
                robot.alive = now
        elif kind == DRIVE:
            robot.drive(b, now)
        elif kind == REQUEST and (answer := robot.request(b, now)):
            node.send(COMMAND, ANSWER, answer)
    now = time.monotonic()
    if robot.holder and now - robot.alive > HOLD:
        robot.execute(robot.holder, GIVE_UP, 0, "", now)
    velocity = robot.velocity if robot.holder and now < robot.until else (0, 0, 0)
    if velocity != moved:
        moved = velocity
        print("velocity %.2f %.2f %.2f" % velocity, flush=True)
    if now - robot.heard > SILENT:
        continue                          # nobody manages the robot
    if robot.since < robot.revision():
        node.send(COMMAND, PARAMETERS, robot.changes())
    if now >= due["report"]:
        due["report"] = now + 0.2
        node.send(TELEMETRY, MANAGEMENT, robot.management(now))
    if robot.holder and now >= due["challenge"]:
        due["challenge"] = now + 0.02
        node.send(COMMAND, CHALLENGE, struct.pack("<BQBI", 1, robot.nonce(now), robot.state(now), robot.kick))
    if robot.rate and now >= due["picture"]:
        due["picture"] = now + 1 / min(robot.rate, 5)  # Python computes the checksum of 5 pictures a second
        node.send(BULK, IMAGE, picture(now))
