// The judges of an engine: their models, each opened once however many judges ask it, and verdicts, found once for each
// content. Runs hold the models that they name; one that nobody holds makes models for the next.

import type { RunConfig } from "../../protocol/config.ts";
import { costWith, type JudgeCost, type JudgeModelReport, type NamedJudge } from "../../protocol/custom/judges.ts";
import { errorText } from "../../protocol/problems.ts";
import { type JudgeInput, type JudgeVerdict, type Judging, judgeMessages, namedJudges } from "../../rl/judge/judge.ts";
import type { Computing } from "../host.ts";
import { askJudge, judgePrompt } from "./asked.ts";
import { type JudgeBackend, type JudgeModel, judgeFault, openJudgeModel } from "./judgeModel.ts";

/** Verdicts kept of each model on each scale, and of how many such. */
const MOST_KEPT = 16_384;
const MOST_JUDGES = 16;

/** A model that is open or on its way. */
interface Held {
  readonly checkpoint: string;
  readonly asked: JudgeBackend["backend"];
  /** What computes it, once it is open. */
  actual: string | null;
  readonly opened: Promise<JudgeModel>;
  /** The runs that need it. */
  readonly holders: Set<object>;
  /** One question after another. */
  before: Promise<unknown>;
}

/** What a run asks its judges by, and what that came to so far. */
interface CountedJudging extends Judging {
  readonly cost: () => JudgeCost;
}

/** The judges that a run asks over its whole life: those of its changes on the way too, by name. */
function judgesOver(config: RunConfig): readonly (readonly [name: string, judge: NamedJudge])[] {
  const { checkpoint } = config;
  const later = config.changes.flatMap(({ settings }) => (settings.judges === undefined ? [] : [settings.judges as RunConfig["judges"]]));
  return [config.judges, ...later].flatMap((judges) => Object.entries(namedJudges({ judges, checkpoint })));
}

/** The judges of one host; owned state. */
class JudgeModels {
  readonly #host: Computing;
  readonly #models = new Set<Held>();
  readonly #verdicts = new Map<string, Map<string, JudgeVerdict>>();

  constructor(host: Computing) {
    this.#host = host;
  }

  /** Opens what a run needs and lets go of what it needed before. Throws where a model cannot be opened, with the judge's field. */
  async hold(holder: object, config: RunConfig, settings: JudgeBackend): Promise<readonly JudgeModelReport[]> {
    const reports: JudgeModelReport[] = [];
    const held = new Set<Held>();
    const before = new Set([...this.#models].filter(({ holders }) => holders.has(holder)));
    for (const [name, { checkpoint }] of judgesOver(config)) {
      const model = this.#open(checkpoint, settings);
      model.holders.add(holder);
      held.add(model);
      try {
        const { report } = await model.opened;
        if (!reports.some((each) => each.name === name)) reports.push({ name, ...report });
      } catch (error) {
        for (const each of held) if (!before.has(each) && each.holders.delete(holder)) this.#freeUnheld(each);
        throw judgeFault(name, error);
      }
    }
    for (const model of this.#models) if (!held.has(model) && model.holders.delete(holder)) this.#freeUnheld(model);
    return reports;
  }

  /** Whoever held models needs them no more. */
  leave(holder: object): void {
    for (const model of this.#models) if (model.holders.delete(holder)) this.#freeUnheld(model);
  }

  /** The prompts that a judge's model reads, marks included. */
  async promptsOf(judge: NamedJudge, settings: JudgeBackend, inputs: readonly JudgeInput[]): Promise<readonly string[]> {
    const model = await this.#open(judge.checkpoint, settings).opened;
    return inputs.map((input) => model.renderer.decode(judgePrompt(model, judge, input)));
  }

  /** Judging on such a backend. */
  judging(settings: JudgeBackend): CountedJudging {
    let cost: JudgeCost = { asked: 0, cached: 0, tokens: 0, seconds: 0 };
    return {
      cost: () => cost,
      judge: async (judge, inputs) => {
        const begun = this.#host.now();
        const { verdicts, cached, tokens } = await this.#judge(judge, settings, inputs);
        const seconds = Math.max(0, this.#host.now() - begun) / 1000;
        cost = costWith(cost, { asked: inputs.length, cached, tokens, seconds });
        return verdicts;
      },
    };
  }

  async #judge(judge: NamedJudge, settings: JudgeBackend, inputs: readonly JudgeInput[]) {
    try {
      const held = this.#open(judge.checkpoint, settings);
      const model = await held.opened;
      const known = this.#known(judge, model);
      const keys = inputs.map((input) => JSON.stringify(judgeMessages(judge, input)));
      const unknown = new Map(keys.flatMap((key, i) => (known.has(key) ? [] : [[key, inputs[i]!] as const])));
      const found = new Map<string, JudgeVerdict>();
      const asked = unknown.size === 0 ? { verdicts: [], tokens: 0 } : await this.#ask(held, judge, [...unknown.values()]);
      for (const [i, key] of [...unknown.keys()].entries()) found.set(key, asked.verdicts[i]!);
      const verdicts = keys.map((key) => found.get(key) ?? known.get(key)!);
      for (const [key, verdict] of found) keep(known, key, verdict);
      return { verdicts, cached: inputs.length - unknown.size, tokens: asked.tokens };
    } catch (error) {
      const reason = errorText(error);
      return { verdicts: inputs.map(() => ({ reason })), cached: 0, tokens: 0 };
    }
  }

  async #ask(held: Held, judge: NamedJudge, inputs: readonly JudgeInput[]) {
    const answered = held.before.then(async () => {
      const model = await held.opened;
      if (model.isLost()) throw new Error("the GPU device of its model was lost");
      return askJudge(model, judge, inputs, () => this.#host.yield());
    });
    held.before = answered.catch(() => {});
    try {
      return await answered;
    } finally {
      // A model whose device is gone is opened anew when it is asked again.
      if ((await held.opened).isLost()) this.#free(held);
    }
  }

  /** The model that is open, on whichever backend where any will do, or a new one. */
  #open(checkpoint: string, settings: JudgeBackend): Held {
    const isLike = ({ asked, actual }: Held) => settings.backend === "auto" || asked === settings.backend || actual === settings.backend;
    const known = [...this.#models].find((held) => held.checkpoint === checkpoint && isLike(held));
    if (known) return known;
    // What was opened for a question alone makes models for the next.
    for (const model of this.#models) this.#freeUnheld(model);
    const opened = openJudgeModel(checkpoint, settings, this.#host);
    const held: Held = { checkpoint, asked: settings.backend, actual: null, opened, holders: new Set(), before: Promise.resolve() };
    this.#models.add(held);
    opened.then(
      ({ report }) => {
        held.actual = report.backend;
      },
      () => this.#models.delete(held),
    );
    return held;
  }

  #freeUnheld(held: Held): void {
    if (held.holders.size === 0) this.#free(held);
  }

  /** Once it has answered what it was asked. */
  #free(held: Held): void {
    if (!this.#models.delete(held)) return;
    void held.before
      .then(() => held.opened)
      .then(
        (model) => model.dispose(),
        () => {},
      );
  }

  /** What was found so far by this model on this scale; what else decides a verdict are the messages that it reads. */
  #known({ checkpoint, scale, read, maxTokens }: NamedJudge, { report }: JudgeModel): Map<string, JudgeVerdict> {
    const about = JSON.stringify([checkpoint, Object.entries(scale), read, read === "written" ? maxTokens : 0, report.backend]);
    const known = this.#verdicts.get(about) ?? new Map<string, JudgeVerdict>();
    // The judge that was asked last is the last to go.
    this.#verdicts.delete(about);
    this.#verdicts.set(about, known);
    const [oldest] = this.#verdicts.keys();
    if (this.#verdicts.size > MOST_JUDGES && oldest !== undefined) this.#verdicts.delete(oldest);
    return known;
  }
}

function keep(known: Map<string, JudgeVerdict>, key: string, verdict: JudgeVerdict): void {
  known.set(key, verdict);
  const [oldest] = known.keys();
  if (known.size > MOST_KEPT && oldest !== undefined) known.delete(oldest);
}

const modelsOfHosts = new WeakMap<Computing, JudgeModels>();

export function judgesOf(host: Computing): JudgeModels {
  const models = modelsOfHosts.get(host) ?? new JudgeModels(host);
  modelsOfHosts.set(host, models);
  return models;
}
