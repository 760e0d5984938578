// Everything the engine offers, as the one object that forms and the command line are built from.
import type { Catalog } from "../protocol/catalog.ts";
import { fieldsLater } from "../protocol/config/fields.ts";
import { runConfigSchema } from "../protocol/config.ts";
import { algorithms } from "../rl/algorithms/index.ts";
import { tasks } from "../rl/tasks/index.ts";
import { conversationPresets } from "./conversationPresets.ts";
import { failingPresets } from "./failingPresets.ts";
import { presets } from "./presets.ts";

const fields = fieldsLater(runConfigSchema);

/** All tasks, algorithms, presets and fields with their ranges, as plain data. */
export const catalog: Catalog = {
  get fields() {
    return fields();
  },
  tasks: tasks.map(({ entry }) => entry),
  algorithms,
  presets: [...presets, ...conversationPresets, ...failingPresets],
};
