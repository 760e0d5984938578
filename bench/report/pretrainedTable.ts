// The table of a pretrained model's step.
import type { DecodeResult, GpuSteps, PretrainedResult, StepSeconds } from "./result.ts";

/** Lines of Markdown; none where it was not measured. */
export function pretrainedTable(result: PretrainedResult | null | undefined): readonly string[] {
  if (!result) return [];
  const { threads, from, own, torch, peakGflops, operations } = result;
  const whole = ({ sampling, update }: StepSeconds) => sampling + update;
  const row = (name: string, seconds: StepSeconds) =>
    `| ${name} | ${[seconds.sampling, seconds.update, whole(seconds)].map((value) => value.toFixed(2)).join(" | ")} |`;
  const share = (done: number, seconds: number) => `${Math.round((100 * done) / seconds / peakGflops)} %`;
  const lines = [
    `**A step of a pretrained model** (SmolLM2-135M, ${from}; LoRA of rank 8 on all projections; 4 prompts of 40 tokens, 4 completions of 48 each; ${threads} threads; seconds, ${result.rounds === 1 ? "one round" : `medians of ${result.rounds} rounds`} in turns)`,
    "",
    "| | sampling | update | step |",
    "|---|---|---|---|",
    row("Rollout Lab, own WASM kernels (Node)", own),
  ];
  if (!("missing" in torch)) lines.push(row(`PyTorch ${torch.version} with PEFT`, torch));
  lines.push("");
  if ("missing" in torch) lines.push(`PyTorch is left out: ${torch.missing}.`);
  else lines.push(`PyTorch's step takes ${(whole(torch) / whole(own)).toFixed(2)} times as long.`);
  lines.push(
    `The same kernels' plain product reached ${Math.round(peakGflops)} GFLOP/s in the same rounds; of that, products with the base alone are ${share(operations.sampling, own.sampling)} while sampling and ${share(operations.update, own.update)} in the update.`,
    "",
    ...(result.decode ? decodeLines(result.decode, threads) : []),
    ...(result.gpu ? gpuLines(result.gpu) : []),
  );
  return lines;
}

function decodeLines({ tokens, own, wllama }: DecodeResult, threads: number): readonly string[] {
  const row = (name: string, perSecond: number) => `| ${name} | ${perSecond.toFixed(1)} |`;
  return [
    `**Decoding one sequence of it** (${tokens} greedy tokens after a prompt; ${threads} threads; tokens a second, medians of rounds in turns)`,
    "",
    "| | tokens a second |",
    "|---|---|",
    row("Rollout Lab, own WASM kernels (Node), adapters included", own),
    ...("missing" in wllama ? [] : [row(`llama.cpp in WebAssembly (wllama ${wllama.version}, Chromium)`, wllama.perSecond)]),
    "",
    ...("missing" in wllama ? [`wllama is left out: ${wllama.missing}.`, ""] : []),
  ];
}

function gpuLines({ adapter, apart, steps }: GpuSteps): readonly string[] {
  const row = (name: string, what: string, { sampling, update }: StepSeconds) =>
    `| ${what} | ${name} | ${[sampling, update, sampling + update].map((value) => value.toFixed(3)).join(" | ")} |`;
  const rows = steps.flatMap(({ work, own, torch }) => {
    const what = `${work.prompts} prompts of ${work.promptTokens}, ${work.copies} completions of ${work.newTokens}`;
    const ours = row("Rollout Lab, own WebGPU kernels (Node)", what, own);
    return "missing" in torch ? [ours] : [ours, row(`PyTorch ${torch.version} with PEFT, CUDA`, what, torch)];
  });
  const missing = steps.flatMap(({ torch }) => ("missing" in torch ? [torch.missing] : []));
  return [
    `**A step of it on a graphics card** (${adapter}; single precision; seconds, in the same turns)`,
    "",
    "| work | | sampling | update | step |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    `Log-probs of sampled tokens by the sampler and by the scorer differ by ${apart.toExponential(1)} nats at most.`,
    ...(missing[0] === undefined ? [] : [`PyTorch is left out: ${missing[0]}.`]),
    "",
  ];
}
