"""A robot or computer that talks to its team over touchline's TCM, in one file without other libraries.

docs/teamcom.md describes the datagrams; the names here are those of the page.

    python3 peer.py TCM.ini robot:3

Each line of the standard input sends messages, which share a datagram if they fit:

    {"to": "robot:1", "messages": [{"type": 1000, "text": "hello"}]}
    {"to": "robots", "socket": 0, "messages": [{"type": 1000, "module": 64, "hex": "00ff"}]}

Each line of the output is a received message, a dropped datagram or, twice a second, the state of a link.
`python3 peer.py vectors FILE...` decodes the examples of wire/vectors/tcm-*.txt and of docs/teamcom.md.
"""

import argparse, configparser, hashlib, hmac, json, pathlib, selectors, socket, struct, sys, threading, time
from dataclasses import dataclass, field, replace

ROBOT, COMPUTER = 1, 2
KINDS = {"robot": ROBOT, "computer": COMPUTER}
SOCKETS = ("robots", "bulk", "telemetry", "command")
PAYLOAD = 1200                            # bytes of a piece
LARGEST, LARGEST_SENT = 1472, 1300        # bytes of a datagram
WINDOW = 1024                             # sequences that a receiver remembers
LATEST_WINS = {1, 2, 3, 4, 6, 7, 32}      # types
PARITY = {32: 4, 33: 4}                   # type: data pieces per parity piece
SOCKET_OF = {1: 0, 2: 0, 16: 0, 17: 0, 18: 0, 3: 2, 4: 2, 6: 2, 5: 3, 7: 3, 8: 3, 34: 3, 35: 3, 36: 3, 37: 3}
MS, SECOND = 10**6, 10**9                 # ns


class Refused(Exception):
    """A datagram that a receiver drops, with the reason."""


# ---- CRC-32C

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


# ---- Datagrams

HEADER = struct.Struct("<3s9BIQQB3sIQ")
PIECE = struct.Struct("<BBHIQH")
FRAGMENT = struct.Struct("<HHIIBB")


@dataclass
class Header:
    team: int
    source: tuple                         # kind, id
    to: tuple                             # kind, id; id 0: all of the kind
    socket: int
    boot: int
    sequence: int
    sent: int                             # ns
    echo: tuple = (0, 0)                  # kind, id of the echoed entity; kind 0: no echo
    held: int = 0                         # us
    echoed: int = 0                       # ns, sent of the echoed datagram
    signed: bool = False


@dataclass
class Piece:
    """A whole message (count 0), or a data or parity piece of a longer one."""
    module: int
    type: int
    number: int
    captured: int                         # ns
    payload: bytes
    index: int = 0                        # of a parity piece: its group
    count: int = 0
    total: int = 0
    sum: int = 0
    every: int = 0
    parity: bool = False
    restored: int = 0                     # data pieces of a received message that did not arrive

    def groups(self):
        return -(-self.count // self.every) if self.every else 0

    def size_of(self, index):
        """Returns the length of a data piece."""
        return self.total - PAYLOAD * (self.count - 1) if index == self.count - 1 else PAYLOAD


def encode(header, pieces, key=None):
    h = header
    b = HEADER.pack(b"TCM", 1, bool(key), h.team, *h.source, *h.to, h.socket, h.echo[0], h.boot, h.sequence, h.sent,
                    h.echo[1], bytes(3), h.held, h.echoed)
    for p in pieces:
        flags = 0 if not p.count else 3 if p.parity else 1
        b += PIECE.pack(flags, p.module, p.type, p.number, p.captured, len(p.payload))
        if p.count:
            b += FRAGMENT.pack(p.index, p.count, p.total, p.sum, p.every, 0)
        b += p.payload
    if key:
        b += tag(b, key)
    return b + struct.pack("<I", crc32c(b))


def tag(b, key):
    return hmac.new(key, b, hashlib.sha256).digest()[:16]


def decode(b, key=None):
    """Returns header and pieces of a datagram. With a key it refuses unsigned and forged ones."""
    if len(b) < HEADER.size + 4:
        raise Refused("short")
    if len(b) > LARGEST:
        raise Refused("long")
    magic, version, flags, team, *ids, boot, sequence, sent, echo_id, _, held, echoed = HEADER.unpack_from(b)
    if magic != b"TCM":
        raise Refused("foreign")
    if version != 1:
        raise Refused("version")
    if crc32c(b[:-4]) != int.from_bytes(b[-4:], "little"):
        raise Refused("checksum")
    signed = bool(flags & 1)
    end = len(b) - (20 if signed else 4)
    if end < HEADER.size:
        raise Refused("short")
    if key and not signed:
        raise Refused("unsigned")
    if key and not hmac.compare_digest(tag(b[:end], key), b[end:-4]):
        raise Refused("forged")
    header = Header(team, (ids[0], ids[1]), (ids[2], ids[3]), ids[4], boot, sequence, sent, (ids[5], echo_id), held,
                    echoed, signed)
    pieces, at = [], HEADER.size
    while at < end:
        piece, at = decode_piece(b[:end], at)
        pieces.append(piece)
    return header, pieces


def decode_piece(b, at):
    """Returns the piece at an offset and the offset behind it."""
    try:
        flags, module, kind, number, captured, length = PIECE.unpack_from(b, at)
        at += PIECE.size
        rest = ()
        if flags & 1:
            rest = FRAGMENT.unpack_from(b, at)[:5]
            at += FRAGMENT.size
    except struct.error:
        raise Refused("piece")
    p = Piece(module, kind, number, captured, b[at:at + length], *rest, parity=flags & 3 == 3)
    if len(p.payload) < length or length > PAYLOAD or flags & 3 == 2:
        raise Refused("piece")
    if flags & 1:
        if p.count < 2 or not PAYLOAD * (p.count - 1) < p.total <= PAYLOAD * p.count:
            raise Refused("piece")
        if p.index >= (p.groups() if p.parity else p.count):
            raise Refused("piece")
        if length != (PAYLOAD if p.parity else p.size_of(p.index)):
            raise Refused("piece")
    return p, at + length


# ---- Long messages

def split(message, every):
    """Returns the pieces of a message: itself, or its data pieces and then its parity pieces."""
    data = message.payload
    if len(data) <= PAYLOAD:
        return [message]
    count = -(-len(data) // PAYLOAD)
    base = replace(message, count=count, total=len(data), sum=crc32c(data), every=every)
    pieces = [replace(base, index=i, payload=data[PAYLOAD * i:PAYLOAD * (i + 1)]) for i in range(count)]
    groups = base.groups()
    parity = [replace(base, index=g, parity=True, payload=xor(p.payload for p in pieces[g::groups]))
              for g in range(groups)]
    return pieces + parity


def xor(payloads):
    x = 0
    for p in payloads:
        x ^= int.from_bytes(p, "little")  # a short payload is padded with zeros
    return x.to_bytes(PAYLOAD, "little")


class Partial:
    """An incomplete message."""

    def __init__(self, piece):
        self.first = piece
        self.data, self.parity = {}, {}   # payloads by index and by group
        self.newest = 0                   # ns, arrival of the newest piece
        self.restored = 0                 # data pieces that did not arrive

    def add(self, piece, now):
        """Stores a piece, unless it contradicts the others or arrived before."""
        payloads = self.parity if piece.parity else self.data
        if common(piece) != common(self.first) or piece.index in payloads:
            return
        payloads[piece.index] = piece.payload
        self.newest = now
        groups = piece.groups()
        if groups:
            self.restore(piece.index % groups, groups)

    def restore(self, group, groups):
        """Computes the missing data piece of a group that lost only one."""
        members = range(group, self.first.count, groups)
        missing = [i for i in members if i not in self.data]
        if len(missing) == 1 and group in self.parity:
            x = xor([self.parity[group]] + [self.data[i] for i in members if i in self.data])
            self.data[missing[0]] = x[:self.first.size_of(missing[0])]
            self.restored += 1

    def pieces(self):
        return self.first.count + self.first.groups()

    def complete(self):
        return len(self.data) == self.first.count

    def message(self):
        """Returns the whole message, or None if its checksum is wrong."""
        payload = b"".join(self.data[i] for i in range(self.first.count))
        if crc32c(payload) != self.first.sum:
            return None
        return replace(self.first, payload=payload, count=0, restored=self.restored)


def common(p):
    """Returns what all pieces of a message have in common."""
    return p.captured, p.count, p.total, p.sum, p.every


def newer(a, b):
    """Compares message numbers, which wrap around."""
    return 0 < (a - b) % 2**32 < 2**31


def signed(difference):
    """Returns a difference of times, which wrap around."""
    return (difference + 2**63) % 2**64 - 2**63


# ---- A peer as a receiver knows it

@dataclass
class Window:
    """The sequences of one destination and socket."""
    first: int
    highest: int
    arrival: int                          # ns, of the last accepted datagram
    accepted: dict = field(default_factory=dict)  # sequence: sent

    def refuses(self, sequence, key):
        """Returns whether a datagram is a replay."""
        return (sequence in self.accepted or not -WINDOW < sequence - self.highest <= 2**32
                or key and sequence < self.first)

    def add(self, sequence, sent, arrival):
        self.accepted[sequence] = sent
        self.arrival = arrival
        if sequence > self.highest:
            self.highest = sequence
            self.accepted = {s: sent for s, sent in self.accepted.items() if s > sequence - WINDOW}


@dataclass
class Stream:
    """The messages of one destination, module and type."""
    newest: int                           # number of which a piece arrived
    finished: set = field(default_factory=set)  # delivered, given up or dropped


class Peer:
    SILENT = 1 * SECOND                   # without signing, a peer may then restart with any boot
    IDLE = 500 * MS                       # an incomplete message is given up
    PARTIALS, PIECES = 8, 4 * 2**20 // PAYLOAD
    STREAMS = 64

    def __init__(self):
        self.arrival = self.sent = None   # ns, of the last datagram: arrival and departure
        self.restart(0)

    def restart(self, boot):
        self.boot = boot
        self.windows = {}
        self.streams = {}
        self.partials = {}
        self.exchanges = []               # rtt, offset of the newest echoes

    def age(self, now):
        """Returns the time since the last datagram."""
        return signed(now - self.arrival) if self.arrival is not None else 2**63

    def accept(self, header, arrival, key):
        """Applies the rules of boots and sequences to a datagram."""
        h, where = header, (header.to, header.socket)
        if h.boot < self.boot and (key or self.age(arrival) < self.SILENT):
            raise Refused("older boot")
        if h.boot != self.boot:
            self.restart(h.boot)
        window = self.windows.get(where)
        if window and window.refuses(h.sequence, key):
            copy = window.accepted.get(h.sequence) == h.sent
            if key or copy or signed(arrival - window.arrival) < self.SILENT:
                raise Refused("replayed")
            if self.age(arrival) >= self.SILENT:
                self.restart(h.boot)
            self.windows.pop(where, None)
        window = self.windows.setdefault(where, Window(h.sequence, h.sequence, arrival))
        window.add(h.sequence, h.sent, arrival)
        self.arrival, self.sent = arrival, h.sent

    def deliver(self, header, piece, now):
        """Returns the message that a piece completes, or None."""
        name = header.to, piece.module, piece.type
        stream = self.streams.pop(name, None) or Stream(piece.number)
        self.streams[name] = stream       # the newest is the last
        if len(self.streams) > self.STREAMS:
            del self.streams[next(iter(self.streams))]
        if newer(piece.number, stream.newest):
            stream.newest = piece.number
        behind = (stream.newest - piece.number) % 2**32
        if piece.number in stream.finished or behind >= (1 if piece.type in LATEST_WINS else 64):
            return None
        stream.finished = {n for n in stream.finished if (stream.newest - n) % 2**32 < 64}
        if piece.count:
            return self.assemble((*name, piece.number), piece, now)
        stream.finished.add(piece.number)
        return piece

    def assemble(self, name, piece, now):
        """Returns the whole message if the piece completes it."""
        if piece.count + piece.groups() > self.PIECES:
            self.finish(name)
            return None
        if piece.type in LATEST_WINS:
            for other in [n for n in self.partials if n[:-1] == name[:-1] and n != name]:
                self.finish(other)
        partial = self.partials.setdefault(name, Partial(piece))
        partial.add(piece, now)
        if partial.complete():
            self.finish(name)
            return partial.message()
        while len(self.partials) > self.PARTIALS or sum(p.pieces() for p in self.partials.values()) > self.PIECES:
            self.finish(max((n for n in self.partials if n != name), key=lambda n: signed(now - self.partials[n].newest)))
        return None

    def finish(self, name):
        """Forgets a message. Pieces that arrive later are dropped."""
        self.partials.pop(name, None)
        *stream, number = name
        if tuple(stream) in self.streams:
            self.streams[tuple(stream)].finished.add(number)

    def expire(self, now):
        for name, partial in list(self.partials.items()):
            if signed(now - partial.newest) >= self.IDLE:
                self.finish(name)

    def measure(self, header, arrival):
        """Computes round-trip time and offset from an echo of this program's datagram."""
        held = 1000 * header.held
        rtt = signed(arrival - header.echoed - held)
        offset = (signed(header.sent - held - header.echoed) + signed(header.sent - arrival)) // 2
        if rtt <= 10 * SECOND:
            self.exchanges = self.exchanges[-19:] + [(rtt, offset)]


# ---- The entity

class Entity:
    """A robot or computer with its four sockets."""
    BEACON, TALKS, ECHO = 500 * MS, 3 * SECOND, 10 * SECOND

    def __init__(self, team, own, addresses, key=None, boot=None, shift=0, lose=None, trace=False):
        self.team, self.own, self.addresses, self.key = team, own, addresses, key
        self.boot = max(1, int(10 * (time.time() - 1577836800))) if boot is None else boot
        self.zero = time.time_ns() + shift - time.monotonic_ns()
        self.lose, self.trace = lose, trace
        self.start = self.now()
        self.peers = {}
        self.sequences, self.numbers, self.turns = {}, {}, {}
        self.lock = threading.Lock()
        host, base = addresses[own]
        self.sockets = [socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
                        for _ in SOCKETS]
        for s, sock in enumerate(self.sockets):
            sock.bind((host, base + s))

    def now(self):
        """Returns the time of a clock that never jumps, in ns."""
        return (self.zero + time.monotonic_ns()) % 2**64

    # Sending

    def send(self, to, messages):
        """Sends (module, type, payload, socket) messages. Small ones for one socket share datagrams."""
        waiting = {}                      # pieces by socket
        for module, kind, payload, sock in messages:
            name = to, module, kind
            self.numbers[name] = (self.numbers.get(name, -1) + 1) % 2**32
            message = Piece(module, kind, self.numbers[name], self.now(), payload)
            for piece in split(message, PARITY.get(kind, 0)):
                waiting.setdefault(sock, []).append(piece)
        for sock, pieces in waiting.items():
            datagram, room = [], 0
            for piece in pieces:
                size = PIECE.size + (FRAGMENT.size if piece.count else 0) + len(piece.payload)
                if size > room:
                    if datagram:
                        self.send_datagram(to, sock, datagram)
                    datagram, room = [], LARGEST_SENT - HEADER.size - 20
                datagram.append(piece)
                room -= size
            self.send_datagram(to, sock, datagram)

    def send_datagram(self, to, sock, pieces):
        """Sends pieces to one entity or to all of a kind. Without pieces the datagram is a beacon."""
        self.sequences[to, sock] = self.sequences.get((to, sock), 0) + 1
        header = Header(self.team, self.own, to, sock, self.boot, self.sequences[to, sock], self.now())
        echoed = self.echoed(to)
        if echoed:
            peer = self.peers[echoed]
            header.echo, header.held, header.echoed = echoed, signed(header.sent - peer.arrival) // 1000, peer.sent
        if not self.lost(pieces):
            self.send_raw(to, sock, encode(header, pieces, self.key))

    def echoed(self, to):
        """Returns the entity to echo: the destination, or those of its kind in turn."""
        recent = [e for e, p in sorted(self.peers.items())
                  if p.age(self.now()) < self.ECHO and e[0] == to[0] and to[1] in (0, e[1])]
        if not recent:
            return None
        self.turns[to] = self.turns.get(to, 0) + 1
        return recent[self.turns[to] % len(recent)]

    def send_raw(self, to, sock, datagram):
        if self.trace:
            print_line(sent=datagram.hex(), to=entity(to), socket=sock)
        for e, address in self.addresses.items():
            if e != self.own and e[0] == to[0] and to[1] in (0, e[1]) and address:
                self.sockets[sock].sendto(datagram, (address[0], address[1] + sock))

    # Receiving

    def receive(self, sock, datagram, address, arrival):
        """Prints the messages of a datagram, or the reason to drop it."""
        if self.trace:
            print_line(arrived=datagram.hex(), socket=sock)
        try:
            header, pieces = decode(datagram, self.key)
            self.check(header, sock)
            if self.lost(pieces):
                return
            peer = self.peers.setdefault(header.source, Peer())
            peer.accept(header, arrival, bool(self.key))
        except Refused as reason:
            print_line(dropped=str(reason))
            return
        if not self.addresses[header.source]:
            self.addresses[header.source] = address[0], address[1] - sock
        if header.echo == self.own and header.held * 1000 <= self.ECHO \
                and 0 <= signed(arrival - header.echoed) <= signed(arrival - self.start):
            peer.measure(header, arrival)
        peer.expire(arrival)
        for piece in pieces:
            message = peer.deliver(header, piece, arrival)
            if message:
                print_line(source=entity(header.source), to=entity(header.to), socket=sock, module=message.module,
                           type=message.type, number=message.number, captured=message.captured,
                           restored=message.restored, **printable(message.payload))

    def check(self, header, sock):
        if header.team != self.team:
            raise Refused("another team")
        if header.source == self.own or header.source not in self.addresses:
            raise Refused("unknown source")
        if header.to not in (self.own, (self.own[0], 0)):
            raise Refused("another destination")
        if header.socket != sock:
            raise Refused("another socket")

    def lost(self, pieces):
        """Simulates a network that loses the first or the last data piece of each group of parity."""
        for p in pieces:
            if p.every and not p.parity:
                if self.lose == "first" and p.index < p.groups():
                    return True
                if self.lose == "last" and p.index >= p.count - p.groups():
                    return True
        return False

    # Time

    def tick(self):
        """Answers silent peers with beacons, gives up incomplete messages and prints the links."""
        now = self.now()
        for e, peer in self.peers.items():
            if peer.age(now) < self.TALKS:
                self.send_datagram(e, 0, [])
            if peer.exchanges:
                rtt, offset = min(peer.exchanges)
                print_line(link=entity(e), boot=peer.boot, rtt=rtt, offset=offset)

    def run(self):
        """Receives until the program ends."""
        selector = selectors.DefaultSelector()
        for s, sock in enumerate(self.sockets):
            selector.register(sock, selectors.EVENT_READ, s)
        due = time.monotonic_ns()
        while True:
            ready = selector.select(max(0, due - time.monotonic_ns()) / SECOND)
            with self.lock:
                for key, _ in ready:
                    datagram, address = key.fileobj.recvfrom(2048)
                    self.receive(key.data, datagram, address, self.now())
                if time.monotonic_ns() >= due:
                    self.tick()
                    due = time.monotonic_ns() + self.BEACON


def entity(e):
    """Returns the name of an entity or of all of a kind."""
    kind = {ROBOT: "robot", COMPUTER: "computer"}.get(e[0], f"kind {e[0]}")
    return f"{kind}:{e[1]}" if e[1] else kind + "s"


def parse_entity(name):
    kind, _, number = name.partition(":")
    return (KINDS[kind], int(number)) if number else (KINDS[kind.removesuffix("s")], 0)


def printable(payload):
    text = payload.decode("utf-8", "replace")
    return {"text": text} if "\ufffd" not in text and text.isprintable() else {"hex": payload.hex()}


def print_line(**values):
    print(json.dumps(values), flush=True)


def read_ini(path):
    """Returns the team's number, its key or None, and the addresses of its entities; None for any."""
    ini = configparser.ConfigParser(interpolation=None, delimiters="=", inline_comment_prefixes=(";", "#"))
    ini.read_string(path.read_text("utf-8"))
    sections = {name.lower(): ini[name] for name in ini.sections()}
    team = sections.get("team", {})
    if "group" in team or "managers" in team:
        sys.exit(f"{path}: this program sends no multicast: remove group and managers")
    key = None
    if "key" in team:
        key = (path.parent / team["key"]).read_bytes().rstrip(b"\r\n")
        if len(key) < 16:
            sys.exit(f"{path}: the key has {len(key)} bytes, want at least 16")
    addresses = {}
    for section, kind in (("robots", ROBOT), ("computers", COMPUTER)):
        for number, address in sections.get(section, {}).items():
            host, _, port = address.rpartition(":")
            addresses[kind, int(number)] = (host.strip("[]"), int(port)) if port.isdigit() else None
    return int(team.get("number", 1)), key, addresses


def obey(entity, command):
    """Executes a line of the standard input."""
    if "arrived" in command:              # a datagram that arrived earlier
        return entity.receive(command["socket"], bytes.fromhex(command["arrived"]), ("", 0), command["at"])
    to = parse_entity(command["to"])
    if "raw" in command:                  # a datagram as it is
        return entity.send_raw(to, command["socket"], bytes.fromhex(command["raw"]))
    messages = []
    for m in command["messages"]:
        payload = bytes.fromhex(m["hex"]) if "hex" in m else m["text"].encode()
        messages.append((m.get("module", 64), m["type"], payload, command.get("socket", SOCKET_OF.get(m["type"], 1))))
    entity.send(to, messages)


# ---- Vectors

def contents(header, pieces, tag):
    """Returns a datagram as the vectors write it."""
    h = header
    c = {"team": h.team, "from": entity(h.source), "to": entity(h.to),
         "socket": SOCKETS[h.socket] if h.socket < len(SOCKETS) else f"socket {h.socket}", "boot": h.boot,
         "sequence": h.sequence, "sent": h.sent, "echo": None, "signed": h.signed, "pieces": []}
    if any((*h.echo, h.held, h.echoed)):
        c["echo"] = {"from": entity(h.echo), "held": h.held, "sent": h.echoed}
    if h.signed:
        c["tag"] = tag.hex()
    for p in pieces:
        piece = {"module": p.module, "type": p.type, "number": p.number, "captured": p.captured}
        if len(p.payload) > 64:
            piece |= {"length": len(p.payload), "crc": crc32c(p.payload)}
        else:
            piece["data"] = p.payload.hex()
        if p.count:
            piece["fragment"] = {"index": p.index, "count": p.count, "total": p.total, "sum": p.sum, "every": p.every,
                                 "parity": p.parity}
        c["pieces"].append(piece)
    return c


KEY = b"0123456789abcdef"                 # of the signed examples


def check_vectors(path):
    """Decodes the examples of a file, encodes them again, and returns how many differ."""
    differ = count = 0
    for name, datagram, expect, faults in examples(path):
        count += 1
        try:
            header, pieces = decode(datagram)
            got = contents(header, pieces, datagram[-20:-4])
            again = encode(header, pieces, KEY if header.signed else None)
            if not faults and name != "signed-by-another-key" and again != datagram:
                got = "encoded as " + again.hex()
        except Refused as reason:
            got = {"error": str(reason)}
        if expect is not None and got != expect or isinstance(got, str):
            differ += 1
            print(f"{path}: {name}: got {json.dumps(got)}, want {json.dumps(expect)}")
    print(f"{path}: {count} datagrams, {differ} differ")
    return differ


def examples(path):
    """Yields name, bytes, contents and whether the bytes break a rule, of vectors and of blocks of a document."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        for i, block in enumerate(text.split("```text\n")[1:]):
            block = block.split("```")[0]
            if block.startswith("54 43 4d"):
                yield f"block {i}", hex_bytes(line.split("  ")[0] for line in block.splitlines()), None, False
        return
    for entry in text.split("\nname ")[1:]:
        lines = [line.partition(" ")[::2] for line in entry.splitlines()[1:]]
        datagram = hex_bytes(rest.split("#")[0] for word, rest in lines if word == "hex")
        expect = [json.loads(rest) for word, rest in lines if word == "expect"]
        yield entry.split("\n")[0].strip(), datagram, expect[0], any(word == "issue" for word, _ in lines)


def hex_bytes(lines):
    return bytes.fromhex("".join(lines))


def main():
    if sys.argv[1:2] == ["vectors"]:
        sys.exit(any([check_vectors(pathlib.Path(path)) for path in sys.argv[2:]]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ini", type=pathlib.Path, help="the team's TCM.ini")
    parser.add_argument("own", help="this entity, for example robot:3")
    parser.add_argument("--boot", type=int, help="number of this start, greater than the last one; tenths of a second since 2020")
    parser.add_argument("--shift", type=float, default=0, metavar="S", help="add this to the clock")
    parser.add_argument("--lose", choices=("first", "last"), help="lose this data piece of each group of parity")
    parser.add_argument("--trace", action="store_true", help="print each datagram in hexadecimal")
    args = parser.parse_args()
    team, key, addresses = read_ini(args.ini)
    own = Entity(team, parse_entity(args.own), addresses, key, args.boot, int(args.shift * SECOND), args.lose, args.trace)
    threading.Thread(target=own.run, daemon=True).start()
    print_line(ready=args.own)
    for line in sys.stdin:
        with own.lock:
            obey(own, json.loads(line))


if __name__ == "__main__":
    main()
