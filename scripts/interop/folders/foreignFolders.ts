// Folders that transformers has written, here: equal logits in several shapes and types, and a run that begins with one.
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readModelFolder } from "../../../src/model/folder/checkpoint.ts";
import { plainForward } from "../../../src/model/plainForward.ts";
import { type Check, hold, trainSums } from "../check.ts";

const LARGEST_DIFFERENCE = 1e-4;

export const foreignFolders: Check = {
  name: "foreign-folders",
  title: "Folders that transformers wrote, here",
  packages: ["transformers", "torch"],
  async run(interop) {
    await interop.python("foreign_folders.py", "written");
    const folders = readdirSync(join(interop.folder, "written")).map((name) => join(interop.folder, "written", name));
    let worst = 0;
    for (const folder of folders) {
      const { config, weights_N } = await readModelFolder(async (name) => new Uint8Array(await readFile(join(folder, name))));
      const { tokens, logits } = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")) as {
        readonly tokens: readonly number[];
        readonly logits: readonly (readonly number[])[];
      };
      for (const [t, row] of plainForward(config, weights_N, tokens).logits_TV.entries())
        row.forEach((value, v) => {
          worst = Math.max(worst, Math.abs(value - logits[t]![v]!));
        });
      hold(worst <= LARGEST_DIFFERENCE, `${folder}: logits differ by ${worst}`);
    }
    await trainSums(interop, { steps: 1 });
    const told = await interop.lab("train", "sums.json", "--from", join("written", "lab-shape"), "--out", "begun");
    return `${folders.length} folders that transformers saved (grouped heads, an untied head, another rope_theta, float32, float16 and bfloat16) load with logits that differ by at most ${worst.toExponential(1)}. One of the lab's shape is what \`train --from\` began with: ${String(told.model)}.`;
  },
};
