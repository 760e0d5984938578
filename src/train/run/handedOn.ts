// The weights of the run that stands here, read for others: for a run that begins with them, and for a model to take away.
import type { CommandOf } from "../../protocol/commands.ts";
import { shapeSettings } from "../engine/buildTransformer.ts";
import type { ActiveRun } from "./activeRun.ts";
import type { RunFiles } from "./prepareRun.ts";
import type { RunDriver } from "./runDriver.ts";

/** Reads a run's model while nobody works on it, nor has put another's weights in its place. A run that failed stands still for good. */
export function readAtRest<T>(driver: RunDriver, read: (run: ActiveRun) => Promise<T>): Promise<T> {
  return driver.state.state === "failed" ? read(driver.run) : driver.atRest(() => read(driver.run));
}

/** A configuration with the weights and the shape of the run that stands here. */
export async function handedOn(driver: RunDriver, config: CommandOf<"start">["config"]): Promise<RunFiles> {
  if (driver.state.state === "running") throw new Error("the run is going: pause it before another begins with its weights");
  const shape = shapeSettings(driver.run.transformer);
  const { policy } = await readAtRest(driver, ({ model }) => model.save());
  return { config: { ...config, model: "transformer", startFrom: "run", ...shape }, weights_N: Float32Array.from(policy) };
}
