// What the command line says of itself.
import { COMMON_OPTIONS, usageOf } from "./commandLine.ts";
import { columns } from "./texts.ts";
import type { OptionSpecs, Verb } from "./verb.ts";

function optionRows(options: OptionSpecs): readonly (readonly string[])[] {
  return Object.entries(options).map(([name, spec]) => {
    const shape =
      spec.kind === "flag" ? `--${name}` : `--${name} ${"choices" in spec && spec.choices ? spec.choices.join("|") : spec.value}`;
    return [`  ${shape}${spec.kind === "list" ? " ..." : ""}`, spec.help];
  });
}

export function helpOfAll(verbs: readonly Verb[]): string {
  return [
    "rollout-lab: reinforcement learning for small language models, on this machine.",
    "",
    columns(verbs.map((verb) => [`  ${[verb.name, ...verb.operands].join(" ")}`, verb.help])),
    "",
    "Every verb:",
    columns(optionRows(COMMON_OPTIONS)),
    "",
    "Exit codes: 0 done, 1 bad input or missing run, 2 a missing component, 130 interrupted (a run can be resumed).",
    "Begin with: rollout-lab init config, then rollout-lab train config.yaml",
  ].join("\n");
}

export function helpOf(verb: Verb): string {
  return [verb.help, "", `  ${usageOf(verb)}`, "", columns(optionRows({ ...verb.options, ...COMMON_OPTIONS }))].join("\n");
}
