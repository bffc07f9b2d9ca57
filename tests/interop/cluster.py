#!/usr/bin/env python3
# Checks examples/cluster and docs/guide/ci.md: parses their bash, make and YAML, and runs the Makefile with GNU
# parallel, on this machine and on hosts that have only the files sent to them, with the nginx of store.yaml.
#
#   cluster.py ASSETC SOURCE_DIR
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

try:
    import yaml
except ImportError:
    yaml = None


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def run(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, **more).stdout


def check_pod(job):
    """Exit codes 1 and 2 are not retried, and the local cache is a folder that any user may write."""
    spec = job["spec"]
    pod = spec["template"]["spec"]
    container = pod["containers"][0]
    expect(pod["restartPolicy"] == "Never", "a podFailurePolicy needs restartPolicy: Never")
    final = [rule for rule in spec["podFailurePolicy"]["rules"] if "onExitCodes" in rule]
    expect([rule["onExitCodes"] for rule in final] == [{"containerName": container["name"], "operator": "In", "values": [1, 2]}], final)
    action = "FailIndex" if "backoffLimitPerIndex" in spec else "FailJob"
    expect(final[0]["action"] == action, f"expected {action}, found {final[0]}")
    variables = {one["name"]: one["value"] for one in container["env"]}
    mount = next(one for one in container["volumeMounts"] if one["mountPath"] == variables["ASSETC_CACHE"])
    expect({"name": mount["name"], "emptyDir": {}} in pod["volumes"], f"{mount['name']} is not an emptyDir")
    return container, variables


def check_kubernetes(text, store):
    shards, assembly = yaml.safe_load_all(text)
    services = [one["metadata"]["name"] for one in store if one["kind"] == "Service"]
    spec = shards["spec"]
    container, variables = check_pod(shards)
    expect(spec["completionMode"] == "Indexed", "the Job gives its pods no index")
    expect("backoffLimitPerIndex" in spec, "an error in one shard stops the others")
    expect(variables["ASSETC_SHARDS"] == str(spec["completions"]), "ASSETC_SHARDS is not the count of pods")
    expect(container["command"] == ["assetc", "--shard", "auto"], container["command"])
    expect(check_pod(assembly)[0]["command"] == ["assetc"], "the assembling Job does not run a build")
    for job in (shards, assembly):
        expect(job["apiVersion"] == "batch/v1" and job["kind"] == "Job", job["kind"])
        expect(check_pod(job)[1]["ASSETC_CACHE_REMOTE"] in [f"http://{name}/" for name in services], "the store has no Service")


def check_steps(steps):
    """assetc is installed before a step runs it, and the steps that save its cache also run after a failure."""
    first = next(number for number, step in enumerate(steps) if step.get("run", "").startswith("assetc"))
    expect(any("$GITHUB_PATH" in step.get("run", "") for step in steps[:first]), "nothing installs assetc")
    for step in steps[first + 1:]:
        if "cache/save" in step.get("uses", "") or "store-" in step.get("with", {}).get("name", ""):
            expect("!cancelled()" in step.get("if", ""), f"after a failed build, {step['uses']} does not run")
    return steps


def check_actions(text):
    jobs = yaml.safe_load(text)["jobs"]
    numbers = jobs["shards"]["strategy"]["matrix"]["shard"]
    expect(numbers == list(range(1, len(numbers) + 1)), f"shards are numbered {numbers}")
    expect(any("--shard ${{ matrix.shard }}/${{ strategy.job-total }}" in step.get("run", "")
               for step in check_steps(jobs["shards"]["steps"])), "no step compiles a shard")
    expect(jobs["assemble"]["needs"] == "shards", "the assembly does not wait for the shards")
    expect("!cancelled()" in jobs["assemble"]["if"], "a shard that failed stops the assembly")
    check_steps(jobs["assemble"]["steps"])


def check_guide(text):
    github, gitlab = [yaml.safe_load(block) for block in re.findall(r"```yml\n(.*?)```", text, re.DOTALL)]
    steps = check_steps(github["steps"])
    for words in ("assetc check", "upload-sarif"):
        step = next(one for one in steps if words in one.get("run", one.get("uses", "")))
        expect("!cancelled()" in step.get("if", ""), f"after a failed build, {words} does not run")
    expect(github["permissions"]["security-events"] == "write", "upload-sarif may not")
    expect(gitlab["assets"]["artifacts"]["when"] == "always", "after a failed build the reports are not kept")


def start_store(folder, configuration):
    """Starts store.yaml's nginx, on a free port and in our folder. Returns None if there is no nginx."""
    nginx = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not nginx:
        return None, None
    (folder / "cache").mkdir(parents=True)
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    for old, new in (("/tmp/", f"{folder}/"), ("/srv/cache", str(folder / "cache")),
                     ("error_log stderr", f"error_log {folder}/error.log"), ("listen 8080", f"listen 127.0.0.1:{port}")):
        configuration = configuration.replace(old, new)
    (folder / "nginx.conf").write_text(("user root;\n" if os.getuid() == 0 else "") + configuration)
    process = subprocess.Popen([nginx, "-c", folder / "nginx.conf", "-g", "daemon off;", "-e", folder / "error.log"],
                               stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process, f"http://127.0.0.1:{port}/"
        except OSError:
            time.sleep(0.05)
    process.terminate()
    raise AssertionError("nginx does not start: " + (folder / "error.log").read_text())


# Runs `ssh HOST COMMAND` on a fake host with its own home and without our environment.
HOST = """#!/bin/bash
while [[ $1 == -* ]]; do case $1 in -l|-p|-o|-i|-S) shift 2 ;; *) shift ;; esac; done
host=$1; shift
[ "$1" != -- ] || shift
mkdir -p "$HOSTS_FOLDER/$host"
exec env -i PATH="$PATH" HOME="$HOSTS_FOLDER/$host" SHELL=/bin/bash bash -c "$*"
"""


def check_hosts(folder, makefile, program, configuration):
    process, url = start_store(folder / "nginx", configuration)
    if process is None:
        print("skipped: nginx is not installed, so the Makefile is not run on hosts")
        return
    try:
        ssh = folder / "ssh"
        ssh.write_text(HOST)
        ssh.chmod(0o755)
        env = {name: value for name, value in os.environ.items() if not name.startswith(("ASSETC_", "XDG_"))}
        env |= {"PARALLEL_SSH": str(ssh), "HOSTS_FOLDER": str(folder / "hosts"), "HOME": str(folder), "ASSETC_CACHE_REMOTE": url,
                "ASSETC_CACHE_REMOTE_MODE": "read-write", "ASSETC_CACHE_REMOTE_RACE": "off", "ASSETC_CACHE_BASIC": "user:hidden"}
        plan = run("make", "--dry-run", "--file", makefile, "HOSTS=a,b", env=env)
        expect("--env ASSETC_CACHE_REMOTE " in plan and "BASIC" not in plan, plan)
        said = run("make", "--file", makefile, "SHARDS=3", "HOSTS=a,b", f"ASSETC={program}", cwd=folder, env=env)
        expect(all(f"shard {number}/3: " in said for number in (1, 2, 3)), said)
        expect(any((folder / "hosts" / host).exists() for host in "ab"), "nothing ran on a host")
        expect(": 0 built, " in said.splitlines()[-1], said)
    finally:
        process.terminate()
        process.wait()


def main():
    program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    examples = source / "examples/cluster"
    run("bash", "-n", examples / "assetc.sbatch")
    plan = run("make", "--dry-run", "--file", examples / "Makefile", "SHARDS=7")
    expect("--shard {}/7" in plan and plan.endswith("\nassetc\n"), plan)
    configuration = None
    if yaml is None:
        print("skipped: PyYAML is not installed, so Jobs and workflows are not checked")
    else:
        store = list(yaml.safe_load_all((examples / "store.yaml").read_text()))
        check_kubernetes((examples / "kubernetes.yaml").read_text(), store)
        check_actions((examples / "github-actions.yml").read_text())
        check_guide((source / "docs/guide/ci.md").read_text())
        configuration = next(one for one in store if one["kind"] == "ConfigMap")["data"]["nginx.conf"]

    if not shutil.which("parallel"):
        print("skipped: GNU parallel is not installed, so the Makefile is not run")
        return
    with tempfile.TemporaryDirectory(prefix="assetc-cluster-") as name:
        folder = pathlib.Path(name)
        shutil.copytree(source / "examples/demo/assets", folder / "assets")
        said = run("make", "--file", examples / "Makefile", "SHARDS=3", f"ASSETC={program}", cwd=folder,
                   env={**os.environ, "ASSETC_CACHE": str(folder / "store"), "HOME": name})
        expect(all(f"shard {number}/3: " in said for number in (1, 2, 3)), said)
        expect(": 0 built, " in said.splitlines()[-1], said)
        if configuration:
            shutil.rmtree(folder / "runtime")
            check_hosts(folder, examples / "Makefile", program, configuration)


main()
