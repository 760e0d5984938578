// Two short logs to try, made up in the form in which TRL and verl write them: one whose answers are all cut off, and one that only looks
// as if nothing were learnt.

export interface ExampleLog {
  readonly title: string;
  readonly text: string;
}

const cutOff = [1, 2, 3, 4, 5, 6].map(
  (step) =>
    `step:${step} - actor/entropy:${(0.41 - step / 100).toFixed(3)} - actor/pg_loss:0.0 - actor/kl_loss:0.0 - actor/grad_norm:0.0 - critic/score/mean:0.0 - critic/advantages/max:0.0 - response_length/mean:${254 + (step % 3)}.0 - response_length/max:256.0 - response_length/clip_ratio:${(0.97 + (step % 3) / 100).toFixed(2)}`,
);
const lossOfZero = [1, 2, 3, 4, 5, 6].map(
  (step) =>
    `{'loss': ${step > 4 ? "0.0001" : "0.0"}, 'grad_norm': 0.1${step}2, 'learning_rate': ${(1e-6 * (7 - step)).toExponential(1)}, 'reward': ${(0.8 + step / 25).toFixed(3)}, 'reward_std': 0.41${step}, 'completions/mean_length': 23${step}.5, 'kl': ${(0.0004 * step).toFixed(4)}, 'epoch': 0.0${step}}`,
);

export const EXAMPLE_LOGS: readonly ExampleLog[] = [
  { title: "Try a log of verl", text: cutOff.join("\n") },
  { title: "Try a log of TRL", text: lossOfZero.join("\n") },
];
