// npm run test:models: the tests on a real pretrained model, which they bring first (100 MB, kept in .cache/models) by the
// lab's own fetch, among them one in the built page. npm test does without, on tiny models of each architecture.
import { build } from "../build.mjs";
import { installWhatIsMissing, requireNode, runNode } from "../environment.mjs";

requireNode();
await installWhatIsMissing({ forTests: true });
const built = await build();
process.exitCode =
  built !== 0 ? built : await runNode("node_modules/vitest/vitest.mjs", ["run", "--project", "pretrained"], { TEST_MODELS: "1" });
