// A result in a few lines for the README: our kernels on the most threads, and how long every other
// peer takes for the same iteration. The full tables lie beside the result.

import { figure, percent, table } from "./markdown.ts";
import type { BenchResult, PeerResult, SizeResult } from "./result.ts";
import { machineLine, ownPeer, speedUp } from "./tables.ts";

type Runtime = "node" | "chromium";

/** The columns of other peers: in our runtime where they run in JavaScript, on as many threads as they take. */
const OTHERS: readonly { readonly title: string; readonly belongs: (peer: PeerResult, runtime: Runtime) => boolean }[] = [
  { title: "PyTorch", belongs: ({ spec }) => spec.engine === "pytorch" && !spec.compiled },
  { title: "PyTorch compiled", belongs: ({ spec }) => spec.engine === "pytorch" && spec.compiled === true },
  { title: "TensorFlow.js, own gradients", belongs: ({ spec }, runtime) => spec.engine === "tfjs-wasm" && spec.runtime === runtime },
  { title: "TensorFlow.js, as common", belongs: ({ spec }, runtime) => spec.engine === "tfjs-plain" && spec.runtime === runtime },
  { title: "jax-js", belongs: ({ spec }, runtime) => spec.engine === "jax-js" && spec.runtime === runtime },
];

/** The same kernels and build on one thread. */
function onOneThread(own: PeerResult, peers: readonly PeerResult[]): PeerResult | undefined {
  return peers.find(
    ({ spec }) => spec.engine === "wasm" && spec.runtime === own.spec.runtime && spec.build === own.spec.build && spec.threads === 1,
  );
}

function row({ size, workload, peers }: SizeResult, runtime: Runtime): readonly string[] | null {
  const own = ownPeer(peers, runtime);
  if (!own) return null;
  const one = onOneThread(own, peers);
  const ratios = OTHERS.map(({ belongs }) => {
    const candidates = peers.filter((peer) => belongs(peer, runtime)).toSorted((a, b) => b.spec.threads - a.spec.threads);
    return candidates[0] ? `${figure(speedUp(own, candidates[0]))}x` : "";
  });
  return [
    `${size}, ${runtime === "node" ? "Node" : "Chromium"}`,
    figure(own.train.medianMs),
    figure(own.decode.medianMs / workload.length),
    figure(own.tokensPerSecond),
    percent(own.peak?.trainShare),
    one && own.spec.threads > 1 ? `${figure(one.iteration.medianMs / own.iteration.medianMs)}x` : "",
    ...ratios,
  ];
}

const HEAD = ["size", "update ms", "decode ms/step", "tokens/s", "of GEMM peak", "threads gain", ...OTHERS.map(({ title }) => title)];

/** The README's block. */
export function summary(result: BenchResult): string {
  const rows = (["chromium", "node"] as const).flatMap((runtime) => result.sizes.map((size) => row(size, runtime)));
  const threads = Math.max(1, ...result.sizes.flatMap(({ peers }) => ownPeer(peers, "node")?.spec.threads ?? 1));
  const { preset, presetRun, trl } = result;
  return [
    machineLine(result),
    "",
    `Our kernels on ${threads} ${threads === 1 ? "thread" : "threads"}; the columns on the right say how many times as long the others take for one iteration (64 decode steps of 32 sequences and one update on them).`,
    "",
    ...table(
      HEAD,
      rows.filter((cells) => cells !== null),
    ),
    "",
    ...(preset
      ? [
          `A step of the ${preset.preset} preset takes ${figure(preset.sample.shared.medianMs + preset.update.packed.medianMs)} ms; padded and with every prompt repeated it would take ${figure(preset.speedUp)} times as long.`,
          "",
        ]
      : []),
    ...(trl
      ? [
          `A training step of TRL's GRPOTrainer on the same weights, task and sizes takes ${figure(trl.trlSeconds / trl.ownSeconds)} times as long as ours (${trl.seeds.length} seeds).`,
          "",
        ]
      : []),
    ...(presetRun ? [`Its default run of ${presetRun.steps} steps takes ${figure(presetRun.seconds)} s.`, ""] : []),
  ]
    .join("\n")
    .trimEnd();
}
