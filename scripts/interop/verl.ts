// verl on an exported folder, as far as that goes without a GPU.
import { type Check, trainSums } from "./check.ts";

export const verl: Check = {
  name: "verl",
  title: "An exported run in verl",
  packages: ["verl", "transformers", "torch"],
  async run(interop) {
    const { path } = await trainSums(interop, { steps: 1, evalEvery: 0 });
    const { out } = await interop.lab("export", path, "--to", "verl");
    return interop.python("verl_folder.py", String(out));
  },
};
