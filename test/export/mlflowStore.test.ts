// MLflow's file store, held to what mlflow 3.17 wrote for the same calls.
import { expect, it } from "vitest";
import { parse } from "yaml";
import { type MlflowRun, metricLines, mlflowFolder, mlflowTexts, type TimedValues } from "../../src/export/mlflowStore.ts";

/** A store of a run that is over, by path. */
function mlflowStore({ rows, ...run }: MlflowRun & { readonly rows: readonly TimedValues[] }): readonly (readonly [string, string])[] {
  const lines = metricLines(rows, new Set(rows.flatMap(({ values }) => Object.keys(values))));
  return [
    ...mlflowTexts(run, rows.at(-1)?.timeMs ?? run.begunMs),
    ...[...lines].map(([metric, text]) => [`${mlflowFolder(run)}/metrics/${metric}`, text] as const),
  ];
}

const run = {
  ...{ identity: "sums 5", name: "sums", experiment: "boxed-arithmetic", begunMs: 1000 },
  config: "{}\n",
  settings: [["learningRate", "0.0005"]] as const,
  rows: [
    { step: 1, timeMs: 1500.4, values: { reward: 0.25, "completions/mean_length": 7 } },
    { step: 2, timeMs: 2000, values: { reward: Number.NaN, "completions/mean_length": 6 } },
  ],
};

it("a run is a folder of metrics, settings and tags in its experiment's folder", () => {
  const files = new Map(mlflowStore(run));
  const [[experimentId, runId]] = [...files.keys()].filter((path) => path.endsWith("/reward")).map((path) => path.split("/")) as [string[]];
  expect(experimentId).toMatch(/^\d{1,15}$/);
  expect(runId).toMatch(/^[0-9a-f]{32}$/);
  const at = `${experimentId}/${runId}`;
  expect(files.get(`${at}/metrics/reward`)).toBe("1500 0.25 1\n");
  expect(files.get(`${at}/metrics/completions/mean_length`)).toBe("1500 7 1\n2000 6 2\n");
  expect(files.get(`${at}/params/learningRate`)).toBe("0.0005");
  expect(files.get(`${at}/tags/mlflow.runName`)).toBe("sums");
  // get_run refuses a run that lacks one of the three folders.
  expect(files.get(`${at}/artifacts/config.json`)).toBe("{}\n");
  expect(files.get(`${at}/meta.yaml`)).toContain(`experiment_id: "${experimentId}"`);
  expect(parse(files.get(`${at}/meta.yaml`)!)).toMatchObject({
    run_id: runId,
    status: 3,
    start_time: 1000,
    end_time: 2000,
    run_name: "sums",
  });
  expect(parse(files.get(`${experimentId}/meta.yaml`)!)).toMatchObject({ name: "boxed-arithmetic", lifecycle_stage: "active" });
});

it("runs of one experiment lie beside each other", () => {
  const folders = ["sums 5", "sums 6"].map((identity) => mlflowStore({ ...run, identity })[1]![0].split("/"));
  expect(folders[0]![0]).toBe(folders[1]![0]);
  expect(folders[0]![1]).not.toBe(folders[1]![1]);
});

it("a metric whose name is the beginning of others is a file beside theirs", () => {
  const rows = [{ step: 1, timeMs: 0, values: { loss: 1, "loss/kl": 2 } }];
  const paths = mlflowStore({ ...run, rows }).map(([path]) => path.split("/").slice(2).join("/"));
  expect(paths).toEqual(expect.arrayContaining(["metrics/loss/total", "metrics/loss/kl"]));
  expect(paths).not.toContain("metrics/loss");
});
