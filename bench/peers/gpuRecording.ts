// JavaScript time per dispatch: recording the programs of an update and of 16 decode steps into compute
// passes that are never submitted, with nothing wrapped or counted meanwhile. Beside it the same calls
// on one pipeline and one bind group in the shortest loop there is: what WebGPU itself takes.
import { openDevice } from "../../src/kernels/webgpu/device.ts";
import { type Program, record, resize } from "../../src/kernels/webgpu/program.ts";
import { createEngine } from "../../src/model/webgpu/engine.ts";
import { planOptimizer } from "../../src/model/webgpu/optimizer.ts";
import { stepsPerRead } from "../../src/model/webgpu/sampling/sampling.ts";
import { planSampling } from "../../src/model/webgpu/sampling/samplingPlan.ts";
import { planScoring } from "../../src/model/webgpu/scoring/scoringPlan.ts";
import { transformerOf, type Workload } from "../measure/workload.ts";
import type { GpuRecording, RecordingTime } from "../peer.ts";
import { median } from "../report/statistics.ts";

const WARM_UP = 100;
const SAMPLES = 301;
/** Dispatches of a sample: enough for clocks that tell no less than 5 µs. */
const LEAST_DISPATCHES = 500;

/** Milliseconds of recording into a fresh pass. */
function timePass(device: GPUDevice, work: (pass: GPUComputePassEncoder) => void): number {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  const before = performance.now();
  work(pass);
  const ms = performance.now() - before;
  pass.end();
  encoder.finish();
  return ms;
}

async function timePrograms(device: GPUDevice, programs: readonly Program[]): Promise<RecordingTime> {
  const dispatches = programs.reduce((sum, program) => sum + program.dispatches.length, 0);
  const first = programs[0]?.dispatches[0];
  if (!first) throw new Error("internal: there is nothing to record");
  const { pipeline, bindGroup } = first;
  const repeats = Math.ceil(LEAST_DISPATCHES / dispatches);
  const own = (pass: GPUComputePassEncoder) => {
    for (let i = 0; i < repeats; i++) for (const program of programs) record(program, pass);
  };
  const bare = (pass: GPUComputePassEncoder) => {
    for (let i = repeats * dispatches; i > 0; i--) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindGroup);
      pass.dispatchWorkgroups(1, 1, 1);
    }
  };
  const samples: { readonly own: number; readonly bare: number }[] = [];
  for (let i = 0; i < WARM_UP + SAMPLES; i++) {
    const sample = { own: timePass(device, own), bare: timePass(device, bare) };
    if (i >= WARM_UP) samples.push(sample);
    // A browser hands commands to another process; it should not fall behind.
    await device.queue.onSubmittedWorkDone();
  }
  const usOf = (key: "own" | "bare") => (median(samples.map((sample) => sample[key])) * 1000) / (repeats * dispatches);
  return { dispatches, usPerDispatch: usOf("own"), bareUsPerDispatch: usOf("bare") };
}

/** Times both phases of a workload on a device of its own; computes nothing. */
export async function measureRecording(workload: Workload, gpu: GPU | null): Promise<GpuRecording> {
  const device = await openDevice(gpu);
  const engine = createEngine(device, transformerOf(workload), {});
  const { batch, length } = workload;
  const rows = batch * length;
  const scoring = await planScoring(engine, "policy", { rows, scored: rows, positions: length + 1 }, true);
  const sampling = await planSampling(engine, "policy", {
    cacheRows: batch + rows,
    rows: batch,
    sequences: batch,
    draws: rows,
    positions: length + 1,
  });
  const { norm, step } = await planOptimizer(engine);
  if (!scoring.backward) throw new Error("internal: this plan has no backward pass");
  const update = [scoring.forward, scoring.backward, norm, step];
  for (const program of update) resize(program, { rows, scored: rows });
  resize(sampling.step, { rows: batch, scored: batch });
  const train = await timePrograms(device, update);
  const decode = await timePrograms(
    device,
    Array.from({ length: stepsPerRead }, () => sampling.step),
  );
  scoring.arena.destroy();
  sampling.arena.destroy();
  engine.destroy();
  device.destroy();
  return { train, decode };
}
