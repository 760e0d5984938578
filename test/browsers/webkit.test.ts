import { findWebKit } from "../../scripts/testing/browser.mjs";
import { visits } from "./visit.ts";
import { startWebKit } from "./webkit.ts";

const programs = findWebKit();
const obstacle = programs ? null : "WebKitGTK, its driver or Xvfb is not installed";
// Where a program drives it, WebKitGTK keeps no files for a page.
visits({
  name: "WebKit as Debian ships it",
  ...{ obstacle, keepsFiles: false },
  computed: async () => ({ threads: 1, kernelBuild: "plain", threadObstacle: "this browser lets no threads share memory" }),
  start: () => startWebKit(programs!, false),
});
visits({
  name: "WebKit with shared memory and relaxed SIMD",
  ...{ obstacle, keepsFiles: false },
  computed: async () => ({ kernelBuild: "relaxed, unfused" }),
  start: () => startWebKit(programs!, true),
});
