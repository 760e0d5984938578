// The shapes of experiments, in the order in which they are offered.
import { fork } from "./fork.ts";
import { race } from "./race.ts";
import { runs } from "./runs.ts";
import type { Shape } from "./shape.ts";
import { sweep } from "./sweep.ts";

export const SHAPES: readonly Shape[] = [race, fork, runs, sweep];

/** The shape of a plan; one that this page does not know is shown as a sweep, which has room for all. */
export function shapeOf(id: string): Shape {
  return SHAPES.find((shape) => shape.id === id) ?? sweep;
}

/** The first shape on a screen that is set up in one way; the one that the screen begins with where it has none. */
export function firstShape(screen: Shape["screen"], setup: Shape["setup"] = "values"): Shape {
  const here = SHAPES.filter((shape) => shape.screen === screen);
  return here.find((shape) => shape.setup === setup) ?? here[0]!;
}
