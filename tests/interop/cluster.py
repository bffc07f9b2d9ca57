#!/usr/bin/env python3
# examples/cluster as those read them that they are for: bash, make, YAML; and the Makefile run by GNU parallel.
#
#   cluster.py ASSETC SOURCE_DIR
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    yaml = None


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def run(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, **more).stdout


def check_kubernetes(text):
    shards, assembly = yaml.safe_load_all(text)
    spec = shards["spec"]
    container = spec["template"]["spec"]["containers"][0]
    variables = {one["name"]: one["value"] for one in container["env"]}
    expect(spec["completionMode"] == "Indexed", "the Job gives its pods no index")
    expect(variables["ASSETC_SHARDS"] == str(spec["completions"]), "ASSETC_SHARDS is not the count of pods")
    expect(container["command"] == ["assetc", "--shard", "auto"], container["command"])
    expect(assembly["spec"]["template"]["spec"]["containers"][0]["command"] == ["assetc"], "the assembly is no build")
    for job in (shards, assembly):
        expect(job["apiVersion"] == "batch/v1" and job["kind"] == "Job", job["kind"])


def check_actions(text):
    jobs = yaml.safe_load(text)["jobs"]
    numbers = jobs["shards"]["strategy"]["matrix"]["shard"]
    expect(numbers == list(range(1, len(numbers) + 1)), f"shards are numbered {numbers}")
    expect(any("--shard ${{ matrix.shard }}/${{ strategy.job-total }}" in step.get("run", "")
               for step in jobs["shards"]["steps"]), "no step compiles a shard")
    expect(jobs["assemble"]["needs"] == "shards", "the assembly does not wait for the shards")


def main():
    program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    examples = source / "examples/cluster"
    run("bash", "-n", examples / "assetc.sbatch")
    plan = run("make", "--dry-run", "--file", examples / "Makefile", "SHARDS=7")
    expect("--shard {}/7" in plan and plan.endswith("\nassetc\n"), plan)
    if yaml is None:
        print("skipped: PyYAML is not installed, so Jobs and workflows are not looked at")
    else:
        check_kubernetes((examples / "kubernetes.yaml").read_text())
        check_actions((examples / "github-actions.yml").read_text())

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


main()
