// Draws a plot that nobody sees, so that the next one finds the library's code compiled.
import { createRoot } from "react-dom/client";
import { Plot } from "./Plot.tsx";
import { plotModel } from "./plotModel.ts";

const STEPS = [1, 2, 3, 4];
const SERIES = [{ id: "warm", label: "warm", xs: STEPS, ys: STEPS }];

/** Draws a small plot on an element outside the page, and drops it. */
export function warmUpPlot(): void {
  const model = plotModel({ series: SERIES, smoothed: [STEPS], levels: [], range: null, log: false, include: [] });
  if (!model) return;
  const root = createRoot(document.createElement("div"));
  root.render(<Plot model={model} width={320} height={160} format="number" />);
  requestAnimationFrame(() => setTimeout(() => root.unmount(), 100));
}
