// The charts, whose code comes after that of the columns they stand in: without them the run can still be steered.
import { lazyPart } from "../lazyPart.tsx";

export const Charts = lazyPart(
  () => import("./Charts.tsx"),
  (module) => module.Charts,
);
