#!/usr/bin/env python3
# Runs examples/cluster/assetc.sbatch on a real Slurm: shards and the assembling job must give the tree of a plain
# build.
#
#   slurm.py ASSETC SOURCE_DIR
#
# Controller, daemon and the shared cache (nginx with WebDAV) run in a temporary folder, as this user, on free ports.
# Each job has its own local cache, as on a separate machine. Exits with 77 if one of them cannot run.
import filecmp
import getpass
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SHARDS = 3
START_SECONDS = 30
JOBS_SECONDS = 300


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def tool_path():
    return os.environ["PATH"] + ":/usr/sbin:/sbin"


class Store:
    def __init__(self, folder):
        self.folder = folder
        (folder / "store").mkdir(parents=True)
        port = free_ports(1)[0]
        temporary = "".join(f"{kind}_temp_path {folder}/{kind}; "
                            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (folder / "nginx.conf").write_text(f"""\
{"user root;" if os.getuid() == 0 else ""}
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log off; client_max_body_size 0; {temporary}
  server {{
    listen 127.0.0.1:{port};
    location / {{ root {folder}/store; dav_methods PUT; create_full_put_path on; }}
  }}
}}
""")
        self.url = f"http://127.0.0.1:{port}/game"
        self.process = subprocess.Popen([shutil.which("nginx", path=tool_path()), "-c", folder / "nginx.conf", "-e",
                                         folder / "error.log"], stderr=subprocess.DEVNULL)
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                time.sleep(0.05)
        self.stop()
        skip("nginx does not start: " + (folder / "error.log").read_text())

    def clear(self):
        shutil.rmtree(self.folder / "store")
        (self.folder / "store").mkdir()

    def products(self):
        return [path for path in (self.folder / "store").rglob("*") if path.is_file() and "/ac/" in str(path)]

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Slurm:
    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        for name in ("state", "spool"):
            (folder / name).mkdir()
        controller, daemon = free_ports(2)
        host = socket.gethostname().split(".")[0]
        hardware = subprocess.run(["slurmd", "-C"], capture_output=True, text=True, 
                                  env={**os.environ, "PATH": tool_path()}).stdout
        shape = re.search(r"CPUs=.*?RealMemory=\d+", hardware)
        if not shape:
            skip("slurmd -C does not say what this machine has")
        user = getpass.getuser()
        self.conf = folder / "slurm.conf"
        self.conf.write_text(f"""\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={controller}
SlurmdPort={daemon}
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={host} NodeAddr=127.0.0.1 {shape.group(0)} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES State=UP
""")

    def environment(self):
        return {**os.environ, "PATH": tool_path(), "SLURM_CONF": str(self.conf)}

    def tool(self, *words, **more):
        return subprocess.run(words, capture_output=True, text=True, env={**self.environment(), **more}, timeout=60)

    def start(self):
        for words in (["slurmctld", "-D", "-c"], ["slurmd", "-D"]):
            log = open(self.folder / (words[0] + ".out"), "w")
            self.processes.append(subprocess.Popen(words, env=self.environment(), stdout=log, stderr=log))
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if any(one.poll() is not None for one in self.processes):
                break
            state = self.tool("sinfo", "--noheader", "--format=%t")
            if state.returncode == 0 and state.stdout.strip() == "idle":
                return
            time.sleep(0.2)
        logs = [(self.folder / name).read_text()[-2000:] for name in ("slurmctld.out", "slurmd.out")]
        skip("Slurm does not start here:\n" + "\n".join(logs))

    def stop(self):
        for one in reversed(self.processes):
            one.terminate()
        for one in self.processes:
            try:
                one.wait(20)
            except subprocess.TimeoutExpired:
                one.kill()

    # Wait until no job is left.
    def wait(self):
        end = time.monotonic() + JOBS_SECONDS
        while time.monotonic() < end:
            queue = self.tool("squeue", "--noheader")
            if queue.returncode == 0 and not queue.stdout.strip():
                return
            time.sleep(0.2)
        raise AssertionError("jobs do not end:\n" + self.tool("squeue").stdout)


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def files_of(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*")
                  if path.is_file() and not path.name.startswith(".assetc-cache"))


def expect_same(folder, reference):
    expect(files_of(reference), f"{reference} is empty")
    expect(files_of(folder) == files_of(reference), f"{folder} and {reference} have different files")
    _, different, errors = filecmp.cmpfiles(folder, reference, files_of(reference), shallow=False)
    expect(not different and not errors, f"different bytes: {different + errors}")


# The logs of one submission; the assembling job's log is last.
def submit(slurm, script, project, **variables):
    for log in project.glob("*.log"):
        log.unlink()
    done = subprocess.run([script, str(SHARDS)], cwd=project, capture_output=True, text=True,
                          env={**slurm.environment(), **variables}, timeout=60)
    expect(done.returncode == 0, done.stdout + done.stderr)
    shards, assembly = done.stdout.split()
    slurm.wait()
    logs = {log.name: log.read_text() for log in project.glob("*.log")}
    expect(len(logs) == SHARDS + 1, f"{SHARDS} shards and an assembly have left {sorted(logs)}")
    last = logs.pop(f"assetc-{assembly}.log")
    return list(logs.values()) + [last]


# The command of each job: assetc with a local cache that no other job sees. The assembling job waits for the cache
# instead of compiling.
MACHINE = """\
#!/bin/bash
[ "${{SLURM_ARRAY_TASK_ID:-}}" = "${{DYING:-none}}" ] && kill -9 $$
[ "${{SLURM_ARRAY_TASK_ID:-}} $2" = "${{HANGING:-none}} auto" ] && exec sleep 1000
export ASSETC_CACHE={folder}/machines/$SLURM_JOB_ID ASSETC_CACHE_REMOTE={url} ASSETC_CACHE_REMOTE_RACE=off
[ -n "${{SLURM_ARRAY_TASK_ID:-}}" ] && export ASSETC_CACHE_REMOTE_MODE=read-write
exec {program} "$@"
"""


def test(program, source, folder, slurm, store):
    script = source / "examples/cluster/assetc.sbatch"
    project = folder / "project"
    shutil.copytree(source / "examples/demo/assets", project / "assets")
    reference = folder / "reference"
    subprocess.run([program, "--quiet", "--output", reference], cwd=project, check=True, capture_output=True,
                   env={**os.environ, "ASSETC_CACHE": "off"})
    machine = folder / "machine"
    machine.write_text(MACHINE.format(folder=folder, url=store.url, program=program))
    machine.chmod(0o755)

    logs = submit(slurm, script, project, ASSETC=str(machine))
    everything = "\n".join(logs)
    for number in range(1, SHARDS + 1):
        expect(f"shard {number}/{SHARDS}: " in everything, f"no shard {number}:\n" + everything)
    built, found = counts(logs[-1])
    expect(found > 0 and store.products(), "the assembly found nothing:\n" + everything)
    expect_same(project / "runtime", reference)
    print(f"{SHARDS} shards and an assembly that found {found} products and compiled {built}: the same tree")

    # A shard that dies loses only its own work.
    shutil.rmtree(project / "runtime")
    store.clear()
    logs = submit(slurm, script, project, ASSETC=str(machine), DYING="1")
    more, fewer = counts(logs[-1])
    expect(more > built and more + fewer == built + found, "a shard died, but:\n" + "\n".join(logs))
    expect_same(project / "runtime", reference)
    print(f"a shard that died: {more} steps compiled by the assembly: the same tree")


    # A shard that hangs is repeated by another one, and canceled.
    shutil.rmtree(project / "runtime")
    store.clear()
    logs = submit(slurm, script, project, ASSETC=str(machine), HANGING="2", ASSETC_REPEAT="1")
    everything = "\n".join(logs)
    again, taken = counts(logs[-1])
    expect(again == built and taken == found, "a shard hung, but:\n" + everything)
    expect("CANCELLED" in everything, "the shard that hung was not canceled:\n" + everything)
    expect_same(project / "runtime", reference)
    print(f"a shard that hung, and was repeated: {again} steps compiled by the assembly: the same tree")


def counts(log):
    found = re.search(r": (\d+) built, (?:(\d+) from the cache, )?", log)
    expect(found, "no summary of a build:\n" + log)
    return int(found[1]), int(found[2] or 0)


def main():
    program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    for tool, package in (("slurmctld", "slurmctld"), ("slurmd", "slurmd"), ("sbatch", "slurm-client"),
                          ("nginx", "nginx-light")):
        if not shutil.which(tool, path=tool_path()):
            skip(f"{tool} is not installed (Debian: {package})")
    with tempfile.TemporaryDirectory(prefix="assetc-slurm-") as name:
        folder = pathlib.Path(name)
        store = Store(folder / "nginx")
        slurm = Slurm(folder)
        try:
            slurm.start()
            test(program, source, folder, slurm, store)
        finally:
            slurm.stop()
            store.stop()


main()
