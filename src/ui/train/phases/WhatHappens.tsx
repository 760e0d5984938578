// What a run of the form will do, step by step, for somebody who has seen none: the phases in the words of the
// settings in force, with their numbers.

import type { RunConfig } from "../../../protocol/config.ts";
import { counted } from "../../../protocol/quantities.ts";
import { phaseDoes } from "../../kit/words/method.ts";
import { PHASE_TITLES } from "../../step/group/runReadings.ts";

/** How long the run is and what goes into one step. */
export function runSize(config: RunConfig): string {
  const { kind, steps, promptsPerStep, groupSize, demonstrationsPerStep } = config;
  const length = steps > 0 ? counted(steps, "step") : "Steps until you stop it";
  const each =
    kind === "supervised"
      ? counted(demonstrationsPerStep, "worked example")
      : `${counted(promptsPerStep, "prompt")} with ${groupSize} answers to each`;
  return `${length}, in each ${each}.`;
}

function evaluates({ evalEvery, evalProblems }: RunConfig): string | null {
  if (evalEvery === 0) return null;
  return `Every ${counted(evalEvery, "step").replace(/^1 /, "")}, up to ${counted(evalProblems, "problem")} that are never trained on.`;
}

const SUPERVISED = ["sample", "update"] as const;
const REINFORCEMENT = ["sample", "score", "advantage", "update"] as const;

export function WhatHappens({ config }: { readonly config: RunConfig }) {
  const phases = config.kind === "supervised" ? SUPERVISED : REINFORCEMENT;
  const evaluation = evaluates(config);
  return (
    <section aria-labelledby="happens-title">
      <h3 id="happens-title" className="large">
        What will happen
      </h3>
      <p className="happens-size soft">{runSize(config)}</p>
      <ol className="happens-phases">
        {phases.map((phase) => (
          <li key={phase}>
            <b className="strong">{config.kind === "supervised" && phase === "sample" ? "Examples" : PHASE_TITLES[phase]}</b>{" "}
            {phaseDoes(phase, config)}
          </li>
        ))}
        {evaluation && (
          <li>
            <b className="strong">{PHASE_TITLES.evaluate}</b> {evaluation}
          </li>
        )}
      </ol>
    </section>
  );
}
