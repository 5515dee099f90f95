"""Slurm plays the slices of a plan: a task is requeued, a node dies, and the report is that of one process.

python3 internal/batch/slurmtest/run.py TOUCHLINE [--slices 24] [--seeds 12] [--half 1s]

It needs Linux, root or user namespaces, and Debian's slurmctld, slurmd, slurm-client and munge. The cluster is a
controller and two nodes in network and process namespaces of their own, with all files in one temporary folder: it sees
no other cluster, and leaves nothing behind. It exits with 1 if the report differs by a byte, or if no task ran twice.
"""
import argparse, os, re, socket, subprocess, sys, tempfile, time

p = argparse.ArgumentParser()
p.add_argument("touchline")
p.add_argument("--slices", type=int, default=24)
p.add_argument("--seeds", type=int, default=12, help="pairs of matches in the plan")
p.add_argument("--half", default="1s")
p.add_argument("--patience", type=float, default=600, help="seconds for all slices")
p.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
a = p.parse_args()

# The kernel ends all processes of a process namespace with its first one.
ALONE = ["--pid", "--fork", "--kill-child", "--mount-proc"]
if not a.inside:
    flags = ["-n"] if os.geteuid() == 0 else ["-rn"]
    os.execvp("unshare", ["unshare", *flags, *ALONE, sys.executable, *sys.argv, "--inside"])

HOST, NODES, LIMIT = socket.gethostname().split(".")[0], ("n1", "n2"), 300
folder = tempfile.TemporaryDirectory(prefix="slurm")
started = []

CONF = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={dir}/munge.socket,cred_expire=5
SlurmctldPort=16817
SlurmctldPidFile={dir}/slurmctld.pid
SlurmctldLogFile={dir}/slurmctld.log
StateSaveLocation={dir}/state
SlurmdPidFile={dir}/slurmd.%n.pid
SlurmdLogFile={dir}/slurmd.%n.log
SlurmdSpoolDir={dir}/spool.%n
# Neither systemd nor control groups.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
# Two CPUs on each node, whatever this machine has. A dead node is missed within seconds, and used again when it registers.
SlurmdParameters=config_overrides
SlurmdTimeout=5
KillWait=2
ReturnToService=2
JobRequeue=1
SchedulerParameters=bf_interval=2,batch_sched_delay=0,sched_min_interval=0
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port=16821 CPUs=2
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port=16822 CPUs=2
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=60 State=UP
"""

def path(*names):
    return os.path.join(folder.name, *names)

def start(name, *command):
    log = open(path(name + ".out"), "a")
    process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder.name)
    started.append(process)
    return process

def start_node(name):
    os.makedirs(path("spool." + name), exist_ok=True)
    return start(name, "unshare", *ALONE, "slurmd", "-D", "-N", name)

def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder.name, timeout=LIMIT)
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout

def wait(whatfor, found, patience=LIMIT):
    latest = time.monotonic() + patience
    while not (value := found()):
        assert time.monotonic() < latest, f"not in {patience:.0f} s: {whatfor}"
        time.sleep(0.05)
    return value

def node(name):
    """Returns the state of a node, such as idle, mixed, down*."""
    return run("sinfo", "-h", "-N", "-n", name, "-o", "%T").strip()

def tasks(state=None):
    """Returns the tasks in the queue: (job and task, node, state, reason)."""
    lines = run("squeue", "-h", "-r", "-o", "%i|%N|%T|%r").splitlines()
    return [t for t in (line.split("|") for line in lines) if state in (None, t[2])]

def network():
    """Sets up loopback, and an interface that only shows the C library that this machine has IPv4."""
    for command in ("link set lo up", "link add br0 type bridge", "address add 192.0.2.1/24 dev br0"):
        subprocess.run(["ip", *command.split()], check=True)

def cluster():
    """Starts munge's daemon, the controller and both nodes."""
    network()
    os.chmod(folder.name, 0o711)          # munge refuses folders that others may change
    with open(path("slurm.conf"), "w") as f:
        f.write(CONF.format(dir=folder.name, host=HOST))
    with open(path("munge.key"), "wb") as f:
        f.write(os.urandom(128))
    os.chmod(path("munge.key"), 0o600)
    os.mkdir(path("state"))
    os.environ.update(SLURM_CONF=path("slurm.conf"), PATH=f"{path('bin')}:{os.environ['PATH']}:/usr/sbin:/sbin")
    os.mkdir(path("bin"))
    os.symlink(os.path.abspath(a.touchline), path("bin", "touchline"))
    start("munged", "munged", "--foreground", "--force", "--key-file", path("munge.key"),
          "--socket", path("munge.socket"), "--pid-file", path("munge.pid"),
          "--log-file", path("munge.log"), "--seed-file", path("munge.seed"))
    wait("munge's socket", lambda: os.path.exists(path("munge.socket")))
    start("slurmctld", "slurmctld", "-D")
    nodes = {name: start_node(name) for name in NODES}
    wait("both nodes idle", lambda: all(node(name) == "idle" for name in NODES))
    return nodes

def restarts(task):
    return int(re.search(r" Restarts=(\d+)", run("scontrol", "show", "job", task))[1])

def requeue():
    """Requeues a running task."""
    def one():
        for task, *_ in tasks("RUNNING"):
            if subprocess.run(["scontrol", "requeue", task], capture_output=True, timeout=LIMIT).returncode == 0:
                return task
    return wait("a running task to requeue", one)

def kill(nodes, name):
    """Kills a node, waits until the controller misses it, and brings it back. Returns the tasks that died with it."""
    running = wait("a task on " + name, lambda: [t[0] for t in tasks("RUNNING") if t[1] == name])
    nodes[name].kill()                    # and the kernel all other processes of its namespace
    nodes[name].wait()
    wait(name + " down", lambda: node(name).startswith("down"))
    nodes[name] = start_node(name)
    wait(name + " back", lambda: re.fullmatch("idle|mixed|allocated", node(name)))
    return [task for task in running if restarts(task)]

def finish():
    """Waits until the queue is empty. Tasks that Slurm holds, because their node failed to launch them, are released."""
    def empty():
        queue = tasks()
        for task, _, _, reason in queue:
            if "held" in reason:
                run("scontrol", "release", task)
                released.append(task)
        return not queue
    released = []
    wait("an empty queue", empty, a.patience)
    return released

def report(results):
    """Returns the report of a folder: its page, table and JSON."""
    run("touchline", "batch", "report", results, "-o", results + ".html", "--csv", results + ".csv")
    texts = [run("touchline", "batch", "report", results, "--json")]
    for name in (results + ".html", results + ".csv"):
        with open(path(name)) as f:
            texts.append(f.read())
    return texts

def main():
    nodes = cluster()
    with open(path("matrix.toml"), "w") as f:
        f.write(f'name = "slurm"\nhalf = "{a.half}"\nseeds = {a.seeds}\nteams = ["touchline", "touchline-nobooking"]\n')
    run("touchline", "batch", "plan", "matrix.toml", "-o", "plan.json")
    run("touchline", "batch", "run", "plan.json", "--dir", "whole", "--yes")
    with open(path("job.sh"), "w") as f:
        f.write(run("touchline", "batch", "emit", "slurm", "plan.json", "--slices", str(a.slices), "--dir", "sliced"))
    began = time.monotonic()
    run("sbatch", "job.sh")
    requeued = requeue()
    died = kill(nodes, "n2") or kill(nodes, "n2")   # its tasks may have ended a moment before
    released = finish()
    seconds = time.monotonic() - began
    assert died and restarts(requeued), f"requeued {requeued}, died {died}: none of them ran twice"
    assert report("whole") == report("sliced"), "the report of the slices is not that of one process"
    print(f"ok {a.slices} slices in {seconds:.0f} s, the report is that of one process; requeued {requeued}; "
          f"a node died with {', '.join(died)}; released {', '.join(released) or 'none'}")

try:
    main()
except BaseException:
    for name in sorted(os.listdir(folder.name)):
        if name.endswith((".log", ".out")):
            with open(path(name), errors="replace") as f:
                text = f.read()
            if text:
                print(f"--- {name}\n{text[-6000:]}", file=sys.stderr)
    raise
finally:
    for process in reversed(started):
        process.kill()
        process.wait()
    folder.cleanup()
