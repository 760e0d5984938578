// What the verb train can be told, whether it begins a run or goes on with one.
import { type Call, DEVICES, type OptionSpecs, type OptionValues } from "../../lab/verb.ts";

export const trainOptions = {
  out: { kind: "text", value: "DIR", help: "Folder of the run; by default a free one in runs/, named after the configuration." },
  set: { kind: "list", value: "KEY=VALUE", help: "Sets a field over the file's, such as steps=300 or taskOptions.length=6." },
  seed: { kind: "integer", value: "N", min: 0, max: 4_294_967_295, help: "The same as --set seed=N." },
  device: { kind: "text", value: "DEVICE", choices: DEVICES, help: "What computes; the same as --set backend=DEVICE." },
  model: {
    kind: "text",
    value: "MODEL",
    help: "Begins with a pretrained model: OWNER/NAME[@REVISION] of the hub or a folder of models/, once fetch has brought it, or a path; the same as --set checkpoint=MODEL with startFrom: checkpoint.",
  },
  from: {
    kind: "text",
    value: "RUN",
    help: "Begins with the weights and the shape of another run's transformer, or of a Hugging Face folder with the lab's tokenizer.",
  },
  resume: {
    kind: "flag",
    help: "Go on with a run from its last save, as it was begun: CONFIG is its folder, or its configuration (the run is then the one in --out, or the newest of that name in runs/), or a save that the page downloaded. --set changes what can change, such as steps=N. A run of --backend trl goes on from TRL's last checkpoint.",
  },
  trajectories: {
    kind: "amount",
    value: "N",
    min: 0,
    help: "Conversations written down of the first, each evaluated and the last step (64); 0 for none; all for every conversation of every step.",
  },
  log: {
    kind: "text",
    value: "FORMS",
    help: "Writes the metrics in logs/ of the run while it goes on, in forms of other programs, with commas between them: jsonl, csv, tensorboard, mlflow, wandb.",
  },
  backend: {
    kind: "text",
    value: "WHAT",
    choices: ["builtin", "trl", "tinker"],
    help: "What trains: this engine (default), TRL where Python has it, or this engine with its model on a server that speaks the Tinker API.",
  },
  url: {
    kind: "text",
    value: "URL",
    help: "Address of the server, for --backend tinker (else TINKER_BASE_URL; --resume: the run's own); its key, where it wants one, is TINKER_API_KEY.",
  },
  prices: {
    kind: "text",
    value: "PRICES",
    help: "With --dry-run of --backend tinker: prices of a million tokens, such as prefill=0.1,sample=0.3,train=0.4, for what the run would cost.",
  },
  launch: {
    kind: "text",
    value: "COMMAND",
    help: 'With --backend trl: starts the training elsewhere. {} in it becomes the training\'s command as one word of the shell, as in "ssh machine {}" or "srun --gpus=1 sh -c {}".',
  },
  python: {
    kind: "text",
    value: "FILE",
    help: "Python that has TRL, for --backend trl (ROLLOUT_LAB_PYTHON, else python3; --resume: the run's own).",
  },
  "dry-run": { kind: "flag", help: "Prints the resolved plan with its memory and time; trains nothing that is kept." },
  sample: {
    kind: "flag",
    help: "With --dry-run: samples the first step's answers and tells what they earn, how many are cut off, and what keeps them from teaching anything.",
  },
} as const satisfies OptionSpecs;

export type TrainCall = Call<OptionValues<typeof trainOptions>>;

/** Conversations of a step that are written down by default. */
export const TRAJECTORIES = 64;
