// How many processes train an exported folder, and how they find each other: what its launch.py and launch.sh make of an environment.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "rollout-lab-launch-"));
afterAll(() => rmSync(folder, { recursive: true }));
const exportsOf = (path: string) => join(import.meta.dirname, "../../src/cli/exports", path);

const python = ["python3", "python"].find((name) => {
  try {
    return execFileSync(name, ["--version"], { stdio: "pipe" }).length > 0;
  } catch {
    return false;
  }
});

/** Runs Python beside the folder's programs, which get stand-ins for the packages of training; resolves to what it printed. */
function runPython(code: string): unknown {
  const stand =
    "import sys, types\nsys.modules.update({name: types.SimpleNamespace(TrainerCallback=object, broadcast_object_list=lambda found: found) for name in ('torch', 'transformers', 'accelerate', 'accelerate.utils')})";
  const args = ["-B", "-c", `import json, sys\nsys.path.insert(0, ${JSON.stringify(exportsOf("trl/python"))})\n${stand}\n${code}`];
  return JSON.parse(execFileSync(python!, args, { encoding: "utf8", stdio: "pipe" }));
}

const SLURM = { SLURM_STEP_NODELIST: "gpu[03-04,07],cpu1", SLURM_JOB_ID: "4711", SLURM_STEP_ID: "2", SLURM_STEP_NUM_NODES: "2" };

describe.skipIf(!python)("train.py of a folder for TRL", () => {
  type Planned = readonly [ranks: Readonly<Record<string, string>>, torchrun: readonly string[] | null] | string;
  type Case = readonly [environment: object, gpus: number, groups: number, asked?: number];
  /** What it makes of each environment, or the sentence that it ends with. */
  const planned = (...cases: readonly Case[]) =>
    runPython(`import launch
def told(case):
    try:
        return launch.planned(*case)
    except SystemExit as error:
        return str(error)
print(json.dumps([told(case) for case in json.loads(${JSON.stringify(JSON.stringify(cases))})]))`) as readonly Planned[];
  const ITSELF: Planned = [{}, null];

  it("trains by itself on one GPU, without one, and where a launcher has started it", () => {
    const launched = { LOCAL_RANK: "3", WORLD_SIZE: "8" };
    // A shell that Slurm has given, without srun, is one process.
    const shell = { SLURM_NTASKS: "8", SLURM_PROCID: "0" };
    const told = planned([{}, 0, 8], [{}, 1, 8], [launched, 8, 8], [{ ACCELERATE_MIXED_PRECISION: "no" }, 8, 8], [shell, 1, 8]);
    expect(told).toEqual(told.map(() => ITSELF));
  });

  it("becomes a process for each GPU of a machine, as many as the groups are divided among, or as are asked for", () => {
    const told = planned([{}, 4, 8], [{}, 8, 12], [{}, 0, 8, 2]);
    expect(told).toEqual([4, 6, 2].map((count) => [{}, ["--standalone", `--nproc-per-node=${count}`]]));
  });

  it("finds the nodes of srun, with a task on each or one for each GPU", () => {
    const onEach = { ...SLURM, SLURM_STEP_NUM_TASKS: "2", SLURM_PROCID: "1", SLURM_LOCALID: "0" };
    const perGpu = { ...SLURM, SLURM_STEP_NUM_TASKS: "16", SLURM_PROCID: "11", SLURM_LOCALID: "3" };
    const port = String(20_000 + ((4711 * 7 + 2) % 20_000));
    const torchrun = ["--nnodes=2", "--node-rank=1", "--master-addr=gpu03", `--master-port=${port}`, "--nproc-per-node=8"];
    const ranks = { RANK: "11", WORLD_SIZE: "16", MASTER_ADDR: "gpu03", MASTER_PORT: port };
    // In the last case each task sees the GPU alone that is bound to it.
    expect(planned([onEach, 8, 16], [perGpu, 8, 16], [perGpu, 1, 16])).toEqual([
      [{}, torchrun],
      [{ ...ranks, LOCAL_RANK: "3" }, null],
      [{ ...ranks, LOCAL_RANK: "0" }, null],
    ]);
  });

  it("takes nodes from the environment without Slurm, and says what it lacks", () => {
    const named = { NNODES: "2", NODE_RANK: "1", MASTER_ADDR: "first" };
    const kubeflow = { PET_NNODES: "2", PET_NODE_RANK: "1", PET_MASTER_ADDR: "first", PET_MASTER_PORT: "23456" };
    const torchrun = (port: number) => [
      "--nnodes=2",
      "--node-rank=1",
      "--master-addr=first",
      `--master-port=${port}`,
      "--nproc-per-node=4",
    ];
    expect(planned([named, 4, 8], [kubeflow, 4, 8], [{ NNODES: "2" }, 4, 8], [{ ...named, NNODES: "3" }, 4, 8])).toEqual([
      [{}, torchrun(29_500)],
      [{}, torchrun(23_456)],
      "2 nodes need MASTER_ADDR, the address of the first one, in the environment of each",
      "8 groups of an optimizer step cannot be divided among 3 nodes",
    ]);
  });

  it("goes on from the newest checkpoint that was written whole, of the same training alone", () => {
    const out = JSON.stringify(join(folder, "output"));
    const code = `import saves
from pathlib import Path
out = Path(${out})
for step, state in ((8, '{"global_step": 8}'), (10, '{"global_step": 10}'), (12, '{"global_'), (14, None)):
    (out / f"checkpoint-{step}").mkdir(parents=True, exist_ok=True)
    if state is not None:
        (out / f"checkpoint-{step}" / "trainer_state.json").write_text(state)
(out / "checkpoint-8" / "reference.pt").write_text("")
Process = types.SimpleNamespace(is_main_process=True)
found = [saves.Place(out, "a").agreed(Process, needed) for needed in ([], ["reference.pt"])]
try:
    saves.Place(out, "b").agreed(Process, [])
    refused = None
except SystemExit as error:
    refused = str(error)
print(json.dumps([[[path.name, state["global_step"]] for path, state in found], refused]))`;
    expect(runPython(code)).toEqual([
      [
        ["checkpoint-10", 10],
        ["checkpoint-8", 8],
      ],
      expect.stringMatching(
        /output has checkpoints of a training with another model, problems or settings: name another folder with --out/,
      ),
    ]);
  });

  it("has no fixed address in any of its programs", () => {
    for (const program of ["trl/python/launch.py", "trl/python/train.py", "verl/launch.sh"])
      expect(readFileSync(exportsOf(program), "utf8")).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
  });
});

describe.skipIf(process.platform === "win32")("launch.sh of a folder for verl", () => {
  /** What it runs, with programs of the name that tell how they are called. */
  function ran(environment: object, args: readonly string[] = []): readonly string[] {
    for (const name of ["python3", "ray", "scontrol"]) {
      const body = {
        python3: 'case "$2" in *torch*) echo 4;; *ray*) echo 2;; *) echo "python3 $*" >> "$TOLD";; esac',
        ray: 'echo "ray $*" >> "$TOLD"; [ "$1" != health-check ]',
        scontrol: "echo gpu03; echo gpu04",
      }[name];
      writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
      chmodSync(join(folder, name), 0o755);
    }
    const told = join(folder, "told");
    writeFileSync(told, "");
    const env = { PATH: `${folder}:${process.env.PATH}`, TOLD: told, ...environment };
    execFileSync("sh", [exportsOf("verl/launch.sh"), ...args], { env, stdio: "pipe" });
    return readFileSync(told, "utf8").trim().split("\n");
  }

  it("takes all GPUs of one machine, logs where it is told to, and saves beside itself", () => {
    const [trained, ...more] = ran({ LOGGERS: "tensorboard,wandb" }, ["trainer.save_freq=3"]);
    expect(more).toEqual([]);
    for (const setting of ["trainer.nnodes=1", "trainer.n_gpus_per_node=4", "trainer.logger=[console,tensorboard,wandb]"])
      expect(trained).toContain(` ${setting} `);
    expect(trained).toContain(`trainer.default_local_dir=${exportsOf("verl")}/output`);
    expect(trained).toMatch(/ trainer\.save_freq=3$/);
  });

  it("begins Ray on the first node of srun, and joins it on the others", () => {
    const onNode = (rank: string) => ran({ ...SLURM, SLURM_PROCID: rank });
    expect(onNode("0")).toEqual(["ray start --head --port=6379", expect.stringContaining(" trainer.nnodes=2 "), "ray stop"]);
    const joined = ["ray start --address=gpu03:6379", "ray health-check --address=gpu03:6379", "ray stop"];
    expect(onNode("1")).toEqual(joined);
    expect(ran({ NODES: "2", NODE_RANK: "1", MASTER_ADDR: "gpu03" })).toEqual(joined);
    expect(ran({ NODES: "2", RAY_ADDRESS: "auto" })).toEqual([expect.stringContaining(" trainer.nnodes=2 ")]);
  });
});
