// A run's settings as TRL's: what is mapped, and what is said to be lost.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REWARD_PROGRAMS, trlTexts } from "../../src/cli/exports/trl/files.ts";
import { trlOptions } from "../../src/cli/exports/trl/options.ts";
import { OWN_PARTS, type PythonRules, pythonRules } from "../../src/cli/exports/trl/pythonRules.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { rewardRules } from "../../src/rl/rewards/library/index.ts";
import type { LibraryRule } from "../../src/rl/rewards/library/libraryRule.ts";
import type { RewardPart } from "../../src/rl/types.ts";
import { planRun } from "../../src/train/start/plan.ts";

const mapped = (config: RunConfigInput) => trlOptions(planRun({ config: { task: "boxed-arithmetic", ...config } }).config);

describe("options of TRL", () => {
  it("see as many completions in a step as the run, in as many optimizer steps", () => {
    const { options } = mapped({ promptsPerStep: 8, groupSize: 6, minibatches: 2, innerEpochs: 3, steps: 5 });
    expect(options).toMatchObject({
      ...{ per_device_train_batch_size: 6, num_generations: 6, gradient_accumulation_steps: 4, steps_per_generation: 8 },
      ...{ num_iterations: 3, max_steps: 30 },
    });
  });

  it.each([
    [{ steps: 4 }, 1],
    [{ steps: 200, minibatches: 2, innerEpochs: 3 }, 60],
    [{ steps: 4000 }, 25],
  ])("save a twentieth of the run apart, between two samplings: %j", (config, every) => {
    const { options } = mapped(config);
    expect(options).toMatchObject({ save_strategy: "steps", save_steps: every, save_total_limit: 2 });
    // What the device has decides about these.
    expect(options).not.toHaveProperty("bf16");
  });

  it.each([
    ["grpo", { loss_type: "grpo", scale_rewards: "group", beta: 0.001, importance_sampling_level: "token" }],
    ["dapo", { loss_type: "dapo", epsilon: 0.2, epsilon_high: 0.28 }],
    ["dr-grpo", { loss_type: "dr_grpo", scale_rewards: "none" }],
    ["gspo", { importance_sampling_level: "sequence" }],
    ["cispo", { loss_type: "cispo", epsilon_high: 5 }],
    ["sapo", { loss_type: "sapo" }],
    ["bnpo", { loss_type: "bnpo" }],
  ] as const)("of %s are its own", (algorithm, options) => {
    expect(mapped({ algorithm }).options).toMatchObject(options);
  });

  it("name what TRL has no counterpart of, and nothing else", () => {
    expect(mapped({ algorithm: "grpo" }).lost).toEqual([]);
    const lost = mapped({ algorithm: "rloo", klCoef: 0.1, klTarget: 0.1, dynamicSampling: true }).lost;
    expect(lost.map(({ field }) => field)).toEqual(expect.arrayContaining(["advantageBaseline", "klTarget", "dynamicSampling"]));
    for (const { why } of lost) expect(why).toMatch(/\w/);
  });
});

it("say which rule of the library has no form in Python", () => {
  const rules = rewardRules as LibraryRule[];
  const { config, instance } = planRun({ config: { task: "boxed-arithmetic", rewardRules: { contains: {} } } });
  expect(pythonRules(config, instance, false)).toMatchObject({ parts: { contains: { rule: "contains" } } });
  const place = rules.findIndex(({ name }) => name === "contains");
  const known = rules.splice(place, 1)[0]!;
  const { python: _, ...bare } = known;
  rules.push({ ...bare, name: "madeUp" });
  try {
    const own = { ...config, rewardRules: { madeUp: {} }, rewardWeights: { madeUp: 1 } };
    expect(pythonRules(own, { ...instance, rewards: [{ name: "madeUp", weight: 1 } as RewardPart] }, false)).toEqual({
      lacking: "the reward madeUp",
    });
  } finally {
    rules.pop();
    rules.splice(place, 0, known);
  }
});

const python = ["python3", "python"].find((name) => {
  try {
    return execFileSync(name, ["--version"], { stdio: "pipe" }).length > 0;
  } catch {
    return false;
  }
});

describe("the exported texts", () => {
  const textsOf = (given: RunConfigInput) => {
    const { config, instance } = planRun({ config: { task: "boxed-arithmetic", ...given } });
    const rules = pythonRules(config, instance, false) as PythonRules;
    const parts = { name: "mine", config, model: { files: [] }, command: [], evaluates: false, logged: null } as const;
    return trlTexts({ ...parts, weights: { boxedAnswer: 1, boxedForm: 0 }, form: { held: "here", rules, plan: null } });
  };
  const texts = textsOf({});

  it("are YAML as Python reads it", () => {
    expect(texts["grpo.yaml"]).toContain("adam_epsilon: 1.0e-8\n");
    expect(texts["grpo.yaml"]).toContain("save_strategy: steps\n");
    expect(texts["grpo.yaml"]).toContain("boxedAnswer: 1\n");
  });

  it.skipIf(!python)("have rewards that stop a training whose numbers differ from the lab's", () => {
    const folder = mkdtempSync(join(tmpdir(), "rollout-lab-trl-"));
    try {
      for (const name of Object.keys(REWARD_PROGRAMS)) writeFileSync(join(folder, name), texts[name]!);
      const parts = Object.fromEntries(OWN_PARTS.map((name) => [name, { rule: name, weight: 1, settings: {} }]));
      const rules = { parts, gates: {}, clip: 0, overlongBuffer: 0, maxTokens: 24 };
      writeFileSync(join(folder, "rewards.json"), JSON.stringify(rules));
      const check = (rows: readonly unknown[]) => {
        writeFileSync(join(folder, "rollouts.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
        return execFileSync(python!, [join(folder, "rewards.py")], { encoding: "utf8", stdio: "pipe" });
      };
      const counted = { said: [], sampled: [], figures: { tool_errors: 0, repeated_calls: 0 } };
      const row = (text: string, answer: string, parts: object, completed = true) => ({ text, answer, completed, parts, ...counted });
      const agreed = check([
        row("so \\boxed{1,024}", "1024", { boxedAnswer: 1, boxedForm: 1 }),
        row("\\boxed{\\frac{1}{2}} ", "0.5", { boxedAnswer: 1, boxedForm: 1 }),
        row("\\boxed{7", "7", { boxedAnswer: 0, boxedForm: 0 }),
        row("\\boxed{7}", "7", { boxedForm: 0 }, false),
        row("<answer>The Cat!</answer>", "cat", { em: 1, f1: 1, taggedForm: 1, taggedAnswer: 0 }),
        row("<answer>a b c</answer>", "b d", { em: 0, f1: 0.5 }),
      ]);
      expect(agreed).toBe("13 reward values agree with the lab's\n");
      expect(() => check([row("\\boxed{8}", "7", { boxedAnswer: 1 })])).toThrow(/boxedAnswer of .* is 0\.0 here and 1 in the lab/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("have the parts of tasks, and every rule of the library that has Python", () => {
    const table = /^RULES = \{\n(.*?)^\}/ms.exec(texts["rewards.py"]!)?.[1] ?? "";
    const ofLibrary = rewardRules.flatMap(({ name, python }) => (python === undefined ? [] : [name]));
    expect([...table.matchAll(/^ {4}"(\w+)": \S/gm)].map(([, name]) => name)).toEqual([...OWN_PARTS, ...ofLibrary]);
    expect(ofLibrary.length).toBeGreaterThanOrEqual(18);
  });

  it("add parts up as TRL does where nothing else is done to them, and hand over the whole reward where it is", () => {
    expect(texts["grpo.yaml"]).toContain("rewards:\n  boxedAnswer: 1\n  boxedForm: 0\n");
    const whole = "rewards:\n  total: 1\n  boxedAnswer: 0\n  boxedForm: 0\n";
    for (const given of [{ rewardClip: 1 }, { rewardGates: { boxedForm: -1 } }, { overlongBuffer: 4 }])
      expect(textsOf(given)["grpo.yaml"]).toContain(whole);
  });

  it("have adapters as PEFT's options", () => {
    const given = { loraRank: 4, loraAlpha: 6, loraTargets: "query-value", loraRankStabilized: true } as const;
    expect(textsOf(given)["grpo.yaml"]).toContain(
      "lora:\n  r: 4\n  lora_alpha: 6\n  use_rslora: true\n  target_modules:\n    - q_proj\n    - v_proj\n",
    );
    expect(textsOf(given)["requirements.txt"]).toContain("\npeft\n");
    expect(texts["grpo.yaml"]).not.toContain("lora");
  });
});
