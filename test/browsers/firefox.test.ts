import { findFirefox } from "../../scripts/testing/browser.mjs";
import { startFirefox } from "./firefox.ts";
import { visits } from "./visit.ts";

const program = findFirefox();
visits({
  name: "Firefox",
  obstacle: program ? null : "Firefox is not installed",
  computed: { kernelBuild: "relaxed, fused" },
  keepsFiles: true,
  start: () => startFirefox(program ?? ""),
});
