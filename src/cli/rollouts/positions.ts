// What is known of a model without its weights: how long a sequence it takes, and its shape where it is of a kind that
// computes here too.
import { readModelConfig } from "../../model/folder/configFile.ts";
import { textFile } from "../../model/folder/modelFolder.ts";
import type { TransformerConfig } from "../../model/transformerConfig.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { isRecord } from "../../protocol/problems.ts";
import { checkpointFolder, type ModelReader } from "../../train/backend/loadRenderer.ts";

/** Positions of a model that does not say how many it takes, and of one that begins at random. */
const POSITIONS = 2048;

function shapeIn(text: string): TransformerConfig | null {
  try {
    return readModelConfig(text);
  } catch {
    // TRL knows more kinds than compute here.
    return null;
  }
}

/** Of the model that a configuration begins with. */
export async function positionsOf(
  config: RunConfig,
  host: ModelReader,
): Promise<{ readonly maxPositions: number; readonly shape: TransformerConfig | null }> {
  const folder = await checkpointFolder(config, host);
  if (!folder) return { maxPositions: POSITIONS, shape: null };
  const text = await textFile(folder, "config.json");
  const given: unknown = JSON.parse(text);
  const told = isRecord(given) && typeof given.max_position_embeddings === "number" ? given.max_position_embeddings : POSITIONS;
  const shape = shapeIn(text);
  return { maxPositions: shape?.maxPositions ?? told, shape };
}
