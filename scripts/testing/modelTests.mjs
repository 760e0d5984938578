// npm run test:models: the tests on a real pretrained model, which they bring first (100 MB, kept in .cache/models) by the
// lab's own fetch. npm test does without, on tiny models of each architecture.
import { buildKernels } from "../build.mjs";
import { installWhatIsMissing, requireNode, runNode } from "../environment.mjs";

requireNode();
await installWhatIsMissing();
const built = await buildKernels();
process.exitCode =
  built !== 0 ? built : await runNode("node_modules/vitest/vitest.mjs", ["run", "--project", "pretrained"], { TEST_MODELS: "1" });
