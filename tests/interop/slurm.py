#!/usr/bin/env python3
# examples/cluster/assetc.sbatch on a real Slurm: shards, an assembly behind them, and the tree of a build without.
#
#   slurm.py ASSETC SOURCE_DIR
#
# Controller and daemon run in a temporary folder, as this user, on free ports. Leaves with 77 where they cannot.
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


class Slurm:
    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        for name in ("state", "spool"):
            (folder / name).mkdir()
        controller, daemon = free_ports(2)
        host = socket.gethostname().split(".")[0]
        hardware = subprocess.run(["slurmd", "-C"], capture_output=True, text=True, env=self.tool_path()).stdout
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

    @staticmethod
    def tool_path():
        return {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}

    def environment(self):
        return {**self.tool_path(), "SLURM_CONF": str(self.conf)}

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
        self.stop()
        skip("Slurm does not start here:\n" + "\n".join(logs))

    def stop(self):
        for one in reversed(self.processes):
            one.terminate()
        for one in self.processes:
            try:
                one.wait(20)
            except subprocess.TimeoutExpired:
                one.kill()

    # Until no job is left.
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
    expect(files_of(folder) == files_of(reference), f"{folder} and {reference} have not the same files")
    _, different, errors = filecmp.cmpfiles(folder, reference, files_of(reference), shallow=False)
    expect(not different and not errors, f"not the same bytes: {different + errors}")


# The logs of one submission, the assembly's last.
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


def main():
    program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    for tool in ("slurmctld", "slurmd", "sbatch"):
        if not shutil.which(tool, path=Slurm.tool_path()["PATH"]):
            skip(f"{tool} is not installed (Debian: slurmctld slurmd slurm-client)")
    script = source / "examples/cluster/assetc.sbatch"
    with tempfile.TemporaryDirectory(prefix="assetc-slurm-") as name:
        folder = pathlib.Path(name)
        project = folder / "project"
        shutil.copytree(source / "examples/demo/assets", project / "assets")
        reference = folder / "reference"
        subprocess.run([program, "--quiet", "--output", reference], cwd=project, check=True,
                       env={**os.environ, "ASSETC_CACHE": "off"})
        slurm = Slurm(folder)
        slurm.start()
        try:
            store = {"ASSETC_CACHE": str(folder / "store"), "ASSETC": str(program)}
            logs = submit(slurm, script, project, **store)
            for number in range(1, SHARDS + 1):
                expect(any(f"shard {number}/{SHARDS}: " in log for log in logs), f"no shard {number}:\n" + "\n".join(logs))
            expect(": 0 built, " in logs[-1], "the assembly compiled:\n" + logs[-1])
            expect_same(project / "runtime", reference)
            print("shards and assembly: the same tree")

            # A shard that dies costs its own work, and nothing else.
            shutil.rmtree(project / "runtime")
            shutil.rmtree(folder / "store")
            dying = folder / "dying"
            dying.write_text(f'#!/bin/bash\n[ "${{SLURM_ARRAY_TASK_ID:-}}" = 1 ] && kill -9 $$\nexec {program} "$@"\n')
            dying.chmod(0o755)
            logs = submit(slurm, script, project, **{**store, "ASSETC": str(dying)})
            built = re.search(r": (\d+) built, (\d+) from the cache", logs[-1])
            expect(built and int(built[1]) > 0 and int(built[2]) > 0, "a shard died, but:\n" + logs[-1])
            expect_same(project / "runtime", reference)
            print(f"a shard that died: {built[1]} steps compiled by the assembly, {built[2]} found")
        finally:
            slurm.stop()


main()
