// Each form of log, read from a few lines as its program writes them.
import { describe, expect, it } from "vitest";
import { eventHead, eventRecord } from "../../../src/export/eventFile.ts";
import { metricLines } from "../../../src/export/mlflowStore.ts";
import { logForms } from "../../../src/rl/logs/forms/index.ts";
import { judgeLog } from "../../../src/rl/logs/judgeLog.ts";
import { readGiven, receivedReading } from "../../../src/rl/logs/readingThread.ts";
import { readLogFiles, readLogText } from "../../../src/rl/logs/readLog.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const rowsOf = (text: string) => readLogText(text).rows.map(({ step, metrics }) => [step, metrics] as const);

describe("a log", () => {
  it("of Python dictionaries is read line by line, whatever stands around them", () => {
    const text =
      "  2%|▏ | 1/50 [00:10<08:10]{'loss': 0.0, 'reward': 0.5, 'reward_std': np.float64(0.25), 'epoch': 0.1}\nSaving.\n{'loss': 0.1, 'reward': 1.0,\n 'reward_std': 0.5}";
    expect(rowsOf(text)).toEqual([
      [1, { loss: 0, reward: 0.5, reward_std: 0.25 }],
      [2, { loss: 0.1, reward: 1, reward_std: 0.5 }],
    ]);
    expect(readLogText(text).lines).toEqual({ of: 4, ignored: 2 });
  });

  it("keeps apart what is 0 and what is no number", () => {
    const { rows } = readLogText("{'loss': nan, 'reward': 0.0, 'kl': None, 'reward_std': 0.1}");
    expect(rows[0]).toEqual({ step: 1, metrics: { reward: 0, reward_std: 0.1 }, unknown: ["loss", "kl"] });
  });

  it("of JSON lines has the steps that it says", () => {
    const line = (step: number) =>
      JSON.stringify({ step, "env/all/reward/total": step / 10, "env/all/by_group/frac_mixed": 0.75, "optim/lr": 1e-5 });
    const log = readLogText([8, 9].map(line).join("\n"));
    expect(log.program.id).toBe("tinker");
    expect(log.rows.map(({ step, metrics }) => [step, metrics.reward, metrics.frac_reward_zero_std])).toEqual([
      [8, 0.8, 0.25],
      [9, 0.9, 0.25],
    ]);
  });

  it("of verl's console has one step a line", () => {
    const text =
      "\u001b[36m(TaskRunner pid=1)\u001b[0m step:12 - actor/kl_loss:0.001 - actor/entropy:np.float64(0.2) - critic/score/mean:0.4 - critic/rewards/mean:0.3 - response_length/clip_ratio:0.05";
    const { rows, names, program } = readLogText(text);
    expect(program.id).toBe("verl");
    expect(rows).toEqual([{ step: 12, metrics: { kl: 0.001, entropy: 0.2, reward: 0.4, "completions/clipped_ratio": 0.05 }, unknown: [] }]);
    expect(names.find(({ from }) => from === "critic/rewards/mean")).toMatchObject({
      to: null,
      says: "not used: reward is read from critic/score/mean",
    });
  });

  it("of prime-rl puts the trainer's and the orchestrator's line of a step together", () => {
    const text = [
      "12:00:01 SUCCESS Step 3 | Time: 8.10s | Loss: 0.0012 | Entropy: 0.2977 | Mismatch KL: 0.0006 | Grad. Norm: 0.0244 | LR: 3.00e-06 | Throughput: 6000 tokens/s | MFU: 12.0% | Peak Mem.: 20.1 GiB",
      "12:00:09 SUCCESS Step 3 | Time: 9.20s | Reward: 0.4531 | Seq. Length: 812.5 tokens/sample | Async Level: 1",
    ].join("\n");
    expect(rowsOf(text)).toEqual([
      [
        3,
        {
          loss: 0.0012,
          entropy: 0.2977,
          "sampling/mismatch_kl": 0.0006,
          grad_norm: 0.0244,
          learning_rate: 3e-6,
          reward: 0.4531,
          "completions/mean_length": 812.5,
        },
      ],
    ]);
  });

  it.each([
    [
      "tabs, as a notebook's table is copied",
      "Step\tTraining Loss\treward\treward_std\tcompletions / mean_length\n1\t0.000000\t0.5\t0.1\t88.0\n2\tNo log\t0.6\t0.2\t90.0",
    ],
    [
      "Markdown",
      "| Step | Training Loss | reward | reward_std | completions / mean_length |\n|---|---|---|---|---|\n| 1 | 0.000000 | 0.5 | 0.1 | 88.0 |\n| 2 | - | 0.6 | **0.2** | 90.0 |",
    ],
    [
      "columns of spaces",
      "Step  loss  reward  reward_std  mean_length\n1     0     0.5     0.1         88\n2     nan   0.6     0.2         90\n...",
    ],
  ])("in a table of %s is read", (_what, text) => {
    expect(rowsOf(text)).toEqual([
      [1, { loss: 0, reward: 0.5, reward_std: 0.1, "completions/mean_length": 88 }],
      [2, { reward: 0.6, reward_std: 0.2, "completions/mean_length": 90 }],
    ]);
  });

  it("in CSV may be parted by semicolons, with a comma before the decimals, whose quoted cells and names hold commas too", () => {
    const text = 'step;"mine, unknown";reward;kl\r\n1;0,5;0,25;1e-3\r\n2;-1,5;"0,75";2,5e-3\r\n3;;1;0.004\r\n';
    expect(rowsOf(text)).toEqual([
      [1, { reward: 0.25, kl: 0.001 }],
      [2, { reward: 0.75, kl: 0.0025 }],
      [3, { reward: 1, kl: 0.004 }],
    ]);
    expect(readLogText(text).lines).toEqual({ of: 4, ignored: 1 });
  });

  it("in CSV has W&B's columns of least and largest values left out, and empty cells absent", () => {
    const text = `"Step","my run - train/reward","my run - train/reward__MIN","my run - train/reward__MAX","my run - train/kl"\n"1","0.5","0.5","0.5","0.01"\n"2","0.6","0.6","0.6",""`;
    expect(rowsOf(text)).toEqual([
      [1, { reward: 0.5, kl: 0.01 }],
      [2, { reward: 0.6 }],
    ]);
  });

  it("in a table of points is put together by step", () => {
    expect(rowsOf("key,value,step\nreward,0.5,1\nreward_std,0.1,1\nreward,0.6,2")).toEqual([
      [1, { reward: 0.5, reward_std: 0.1 }],
      [2, { reward: 0.6 }],
    ]);
  });

  it("in trainer_state.json has evaluations beside the step and no row of the whole run", () => {
    const state = {
      best_metric: null,
      train_batch_size: 8,
      log_history: [
        { loss: 0, reward: 0.5, reward_std: 0.1, step: 10, epoch: 0.1 },
        { eval_reward: 0.7, step: 10 },
        { train_runtime: 1000, train_loss: 0.1, step: 10 },
      ],
    };
    expect(rowsOf(JSON.stringify(state, null, 2))).toEqual([[10, { loss: 0, reward: 0.5, reward_std: 0.1, "eval/reward": 0.7 }]]);
  });

  it("of MLflow's answers and of its files is the same", () => {
    const answer = {
      metrics: [
        { key: "reward", value: 0.5, timestamp: 1, step: 1 },
        { key: "reward_std", value: 0.1, timestamp: 1, step: 1 },
      ],
    };
    const files = metricLines([{ step: 1, timeMs: 5, values: { reward: 0.5, reward_std: 0.1 } }], new Set(["reward", "reward_std"]));
    const ofFiles = readLogFiles([...files].map(([name, text]) => ({ path: `0/abc/metrics/${name}`, bytes: bytesOf(text) })));
    expect(ofFiles.rows).toEqual(readLogText(JSON.stringify(answer)).rows);
    expect(ofFiles.rows[0]?.metrics).toEqual({ reward: 0.5, reward_std: 0.1 });
  });

  it("of TensorBoard has the scalars that were written, up to where the file was cut short", () => {
    const records = [1, 2, 3].map((step) =>
      eventRecord({ step, wallTime: 1, values: { "train/reward": step / 4, "train/reward_std": 0.5 } }),
    );
    const bytes = Buffer.concat([eventHead(1), ...records]);
    const whole = readLogFiles([{ path: "events.out.tfevents.1", bytes }]);
    expect(whole.rows.map(({ step, metrics }) => [step, metrics.reward])).toEqual([
      [1, 0.25],
      [2, 0.5],
      [3, 0.75],
    ]);
    expect(readLogFiles([{ path: "events.out.tfevents.1", bytes: bytes.subarray(0, -5) }]).rows).toHaveLength(2);
  });

  it("of a progress bar has its last state, and OpenRLHF's dictionaries their global step", () => {
    const bar =
      "Train epoch [1/1]:  50%|█████     | 1/2 [00:01<00:01, act_loss=0.1, reward=0.2, kl=0.001]\rTrain epoch [1/1]: 100%|██████████| 2/2 [00:02<00:00, act_loss=-0.012, reward=0.4, kl=0.002]";
    expect(rowsOf(bar)).toEqual([[1, { "loss/policy": -0.012, reward: 0.4, kl: 0.002 }]]);
    expect(rowsOf("Global step 7: {'policy_loss': nan, 'reward': 0.0, 'kl': 0.1, 'actor_lr': 3e-07}")[0]).toEqual([
      7,
      { reward: 0, kl: 0.1, learning_rate: 3e-7 },
    ]);
  });

  it("copied from a summary is one row", () => {
    expect(rowsOf("completions/mean_length: 256   completions/clipped_ratio: 1\nreward: 0   reward_std: 0   loss: 0")).toEqual([
      [1, { "completions/mean_length": 256, "completions/clipped_ratio": 1, reward: 0, reward_std: 0, loss: 0 }],
    ]);
    expect(rowsOf("wandb: train/reward 0.5\nwandb:   train/loss 0.1\nwandb: train/kl nan")[0]?.[1]).toEqual({ reward: 0.5, loss: 0.1 });
  });
});

describe("a log as it is pasted", () => {
  it("may break off, leave out what stands between and lack its brace: whole pairs are read", () => {
    expect(rowsOf("{'loss': 0.1, 'reward': np.float64(0.5), 'reward_std': 0.2, 'completions/cl")).toEqual([
      [1, { loss: 0.1, reward: 0.5, reward_std: 0.2 }],
    ]);
    expect(rowsOf('{"step": 24, ... "env/all/reward/total": -0.08, "env/all/format": 0.0, }')).toEqual([
      [24, { reward: -0.08, "rewards/format/mean": 0 }],
    ]);
    expect(rowsOf("'loss': tensor(0.5), 'reward': 1.0, 'kl': nan}\n'loss': 0.4, 'reward': 2.0, 'kl': 0.1}")).toEqual([
      [1, { loss: 0.5, reward: 1 }],
      [2, { loss: 0.4, reward: 2, kl: 0.1 }],
    ]);
    // The last number may have lost digits.
    expect(rowsOf("{'loss': 0.1, 'kl': 0.2, 'reward': 0.5, 'reward_std': 0.1")[0]?.[1]).not.toHaveProperty("reward_std");
  });

  it("may have metrics down a table, in a box, in bullets or in words", () => {
    const both = { reward: 0.5, "completions/mean_length": 80 };
    expect(rowsOf("| metric | value |\n|---|---|\n| `reward` | **0.5** |\n| `completions/mean_length` | 80 |")[0]?.[1]).toEqual(both);
    expect(rowsOf("│ reward=0.5      │ completions/mean_length=80   │ x=1 │")[0]?.[1]).toEqual(both);
    expect(rowsOf("(Worker pid=7) │ train/reward/mean │ 5.0e-01 │ mean_length │ 80 │")[0]?.[1]).toEqual(both);
    expect(rowsOf("• Avg Reward: 0.5\n• Mean Generation Length: 80")[0]?.[1]).toEqual(both);
    expect(rowsOf("reward ~0.5, mean_length == 80")[0]?.[1]).toEqual(both);
    expect(rowsOf("the reward was 0.5 in the end and 80 answers were cut")).toEqual([]);
  });

  it("may count steps with commas between its numbers, and call them as it likes", () => {
    const lines = [3, 4].map(
      (step) =>
        `2026-01-02 03:04:05.678 | INFO     | train:main:12 - Step ${step}/9, avg reward: 0.${step}, Mean KL = 0.01, grad norm 1.5, clip_frac: 12.5%`,
    );
    expect(rowsOf(lines.join("\n"))).toEqual(
      [3, 4].map((step) => [step, { reward: step / 10, kl: 0.01, grad_norm: 1.5, "clip_ratio/region_mean": 0.125 }]),
    );
  });

  it("has no step where a column only sounds like one", () => {
    expect(readLogText("| step time | reward | kl |\n|---|---|---|\n| 12.5 | 0.1 | 0.01 |\n| 12.5 | 0.2 | 0.02 |").rows).toHaveLength(2);
    expect(rowsOf("| Training step | reward | kl |\n|---|---|---|\n| 7 | 0.1 | 0.01 |")[0]?.[0]).toBe(7);
  });

  it("has columns of one program under its own table, and others under the common one", () => {
    const { program, names } = readLogText(
      "{'train/pg_clipfrac': 0.0, 'train/kl_loss': 0.1, 'rollout/raw_reward': 0.5, 'rollout/rewards': 0.0}",
    );
    expect(program.id).toBe("slime");
    expect(names.map(({ to }) => to)).toEqual(["clip_ratio/region_mean", "kl", "reward", "advantages/mean"]);
    expect(readLogText("{'val/reward': 0.5, 'timing_s/reward': 1.0, 'loss': 0.1}").names.map(({ to }) => to)).toEqual([null, null, "loss"]);
  });
});

describe("a log of very many steps", () => {
  it("has neighbours put together as their means, and says of how many", () => {
    const lines = Array.from({ length: 40_001 }, (_, i) => `${i},${i},${i === 4 ? "nan" : 1}`);
    const text = ["step,reward,entropy", ...lines].join("\n");
    const { rows, each } = readLogText(text);
    expect([rows.length, each]).toEqual([13_334, 3]);
    expect(rows[0]).toEqual({ step: 2, metrics: { reward: 1, entropy: 1 }, unknown: [] });
    expect(rows[1]).toEqual({ step: 5, metrics: { reward: 4, entropy: 1 }, unknown: ["entropy"] });
    expect(rows.at(-1)?.step).toBe(40_000);
  });
});

describe("a log that another thread reads", () => {
  it("comes back as it is read here", async () => {
    const text = "step:1 - critic/score/mean:0.4 - actor/entropy:0.2 - actor/kl_loss:0.3";
    const shares: number[] = [];
    const sent = await readGiven({ files: [{ path: "a.log", file: new Blob([text]) }] }, (share) => shares.push(share));
    const { evidence, named } = receivedReading(structuredClone(sent));
    const here = judgeLog(readLogText(text));
    expect([evidence.log, named, evidence.config]).toEqual([here.evidence.log, here.named, here.evidence.config]);
    expect(Array.from(evidence.metric("reward").values)).toEqual([0.4]);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.length).toBeGreaterThan(2);
  });
});

describe("settings beside a log", () => {
  it("are read where their names are known, and no row is made of them", () => {
    const log = readLogText(
      "learning_rate: 2.0e-05\nnum_generations: 6   # answers\nper_device_train_batch_size: 16\nmax_steps: -1\nmodel: x/y-1.5b\n{'loss': 0.0, 'reward': 0.1, 'reward_std': 0.2}",
    );
    expect(log.config).toEqual({ learningRate: 2e-5, groupSize: 6 });
    expect(log.rows).toHaveLength(1);
  });

  it("of a command line have verl's paths", () => {
    const log = readLogText(
      "python3 -m verl.trainer.main_ppo data.train_batch_size=128 actor_rollout_ref.rollout.n=5 actor_rollout_ref.actor.kl_loss_coef=0.001 \\\n actor_rollout_ref.actor.optim.lr=1e-6 actor_rollout_ref.actor.ppo_mini_batch_size=64",
    );
    expect(log.config).toEqual({ promptsPerStep: 128, groupSize: 5, klCoef: 0.001, learningRate: 1e-6 });
    expect(log.rows).toEqual([]);
  });
});

describe("what is no log", () => {
  it.each([
    "",
    "hello\n\nworld",
    "{",
    "{'a': ",
    "[[[[",
    '{"a": {"b": 1}}',
    "| a | b |\n|---|---|",
    "a,b\n1,x",
    "\u0000\u0001",
    "=".repeat(500),
  ])("%j has no row and throws nothing", (text) => {
    expect(readLogText(text).rows).toEqual([]);
  });

  it("does not hold anybody up, however often it begins and never ends", () => {
    for (const piece of ["{'", '{"a":', "[{", "x: 1 - ", "| a ", "a=1, ", "a,", "\t1"])
      expect(readLogText(piece.repeat(20_000)).rows).toEqual([]);
    for (const line of ["{'a'", "a=1, b=", "| a", "a  b"]) expect(readLogText(`${line}\n`.repeat(1000)).rows).toEqual([]);
  });

  it("has forms of different names", () => expect(new Set(logForms.map(({ id }) => id)).size).toBe(logForms.length));
});
