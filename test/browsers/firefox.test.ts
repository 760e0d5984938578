import { findFirefox } from "../../scripts/testing/browser.mjs";
import { startFirefox } from "./firefox.ts";
import { hasRelaxedSimd } from "./lab.ts";
import { visits } from "./visit.ts";

const program = findFirefox();
visits({
  name: "Firefox",
  obstacle: program ? null : "Firefox is not installed",
  // Releases of long support have relaxed SIMD later than others.
  computed: async (driver) => ({ kernelBuild: (await hasRelaxedSimd(driver)) ? "relaxed, fused" : "plain" }),
  keepsFiles: true,
  start: () => startFirefox(program ?? ""),
});
