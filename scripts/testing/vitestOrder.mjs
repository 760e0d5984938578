// The order in which test files begin: project by project, since files of one that share a process go on in it only
// while the next is theirs too; and in each those known to take longest first. One of them that began last would
// run alone at the end, while the other core rests.
import { BaseSequencer } from "vitest/node";

/** Ends of their paths, the longest first. A GPU in software is what takes most, and programs that are started again and again. */
const LONG = [
  "model/webgpu/webgpuBackend.test.ts",
  "build/library.test.ts",
  "ui/learn/lessons.test.tsx",
  "model/webgpu/frozenWebgpu.test.ts",
  "model/composed/tfjsWebgpu.test.ts",
  "build/cli/ownCode.test.ts",
  "train/memory/memoryEstimate.test.ts",
  "train/run/lostDevice.test.ts",
  "build/cli/onServer.test.ts",
  "model/remote/remoteTraining.test.ts",
  "cli/programs.test.ts",
  "build/cli/goingOn.test.ts",
  "build/cli/sweepGoesOn.test.ts",
  "build/cli/verbs.test.ts",
  "cli/configs.test.ts",
  "rl/verdict/shortRuns.test.ts",
  "rl/verdict/trend.test.ts",
  "build/cli/documents.test.ts",
  "train/backend/chooseBackend.test.ts",
  "rl/tasks/tasks.test.ts",
  "train/save/goOn.test.ts",
  "build/cli/trl.test.ts",
  "build/bench.test.ts",
  "train/step/learning.test.ts",
  "build/cli/badInput.test.ts",
  "build/cli/damagedFiles.test.ts",
  "build/cli/kills.test.ts",
  "cli/exports.test.ts",
  "train/templates/templates.test.ts",
  "train/memory/memoryRefusal.test.ts",
  "train/run/evaluationBeside.test.ts",
  "model/composed/tfjsCpu.test.ts",
  "model/composed/tfjsWasm.test.ts",
  "kernels/wasmAgreement.test.ts",
  "train/judge/judgedRun.test.ts",
  "scripts/hostileRequests.test.ts",
];

/** @param {string} path */
function rank(path) {
  const place = LONG.findIndex((end) => path.endsWith(end));
  return place < 0 ? LONG.length : place;
}

export class LongestFirst extends BaseSequencer {
  /** @param {import("vitest/node").TestSpecification[]} files */
  async sort(files) {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    /** @param {import("vitest/node").TestSpecification} file */
    const turn = ({ project }) => projects.indexOf(project.name);
    return sorted.toSorted((a, b) => turn(a) - turn(b) || rank(a.moduleId) - rank(b.moduleId));
  }
}
