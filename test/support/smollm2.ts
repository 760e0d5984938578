// The real SmolLM2-135M-Instruct for the tests of npm run test:models, brought by the lab's own fetch and kept for the next time.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fetchModel } from "../../src/cli/models/fetchModel.ts";
import { diskFolder } from "../../src/cli/models/modelPlaces.ts";
import type { ModelFolder } from "../../src/model/folder/modelFolder.ts";

export const SMOLLM2 = "smollm2-135m-instruct";

const models = join(import.meta.dirname, "..", "..", ".cache", "models");

/** Its folder, brought first where it is not here. */
export async function smollm2Folder(): Promise<ModelFolder> {
  const progress = { tell() {}, doing() {}, at() {}, end() {} };
  if (!existsSync(join(models, SMOLLM2)))
    await fetchModel({ source: "HuggingFaceTB/SmolLM2-135M-Instruct", models, name: undefined, progress });
  return diskFolder(join(models, SMOLLM2));
}
