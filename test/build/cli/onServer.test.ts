// Training with the model on a server, through the built program over HTTP: the project's own small server behind a real socket.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serveTinker, type TinkerHttp } from "../../support/tinkerHttp.ts";
import { TinkerServer } from "../../support/tinkerServer.ts";
import { facts, fails, linesOf, run, type Summary, start, temporaryFolder } from "./program.ts";

const KEY = "tml-very-secret-key";
const folder = temporaryFolder();
const { at, alone } = folder;
const path = (...parts: readonly string[]) => join(folder.path, ...parts);

let http: TinkerHttp;
let url: string;

beforeAll(async () => {
  process.env.TINKER_API_KEY = KEY;
  http = await serveTinker(new TinkerServer());
  url = http.url;
  const settings =
    "checkpoint: base\nloraRank: 2\nsteps: 3\npromptsPerStep: 2\ngroupSize: 4\nevalEvery: 0\nevalProblems: 2\nmaxCompletionTokens: 12\n";
  writeFileSync(path("sums.yaml"), `task: boxed-arithmetic\nalgorithm: grpo\nlearningRate: 0.001\n${settings}`);
});
afterAll(() => {
  delete process.env.TINKER_API_KEY;
  http.close();
  folder.remove();
});

const onServer = (...more: readonly string[]) => ["train", "sums.yaml", "--backend", "tinker", "--url", url, ...more];

it("tells in a dry run what it would ask of the server, and what that costs, and asks nothing of it but what it has", async () => {
  const plan = await facts<{
    readonly server: { readonly model: string; readonly whole: { readonly requests: number; readonly cost: number } };
  }>(onServer("--dry-run", "--prices", "sample=1000,train=500"), at);
  expect(plan.server.model).toBe("/models/base");
  expect(plan.server.whole.requests).toBeGreaterThan(3 * 6);
  expect(plan.server.whole.cost).toBeGreaterThan(0);
  expect(http.tinker.requests.map((request) => request.path)).toEqual(["get_server_capabilities"]);
});

it("says in doctor what is reachable", async () => {
  type Checks = { readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[] };
  const of = ({ checks }: Checks) => checks.find(({ name }) => name === "Tinker server");
  expect(of(await facts<Checks>(["doctor", "--url", url], at))).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/has \/models\/base \(--model base\)$/),
  });
  const away = await run(["doctor", "--url", "http://127.0.0.1:9", "--json"], alone);
  expect(away.code).toBe(2);
  expect(of(JSON.parse(away.stdout) as Checks)?.detail).toMatch(/^the server 127\.0\.0\.1:9 cannot be reached/);
  expect(of(await facts<Checks>(["doctor"], at))).toBeUndefined();
  const other = createServer((_, response) => response.writeHead(404).end("no such page"));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const wrong = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const said = /the server 127\.0\.0\.1:\d+ does not speak the Tinker API \(get_server_capabilities: status 404\)/;
  expect(of(JSON.parse((await run(["doctor", "--url", wrong, "--json"], at)).stdout) as Checks)?.detail).toMatch(said);
  await fails(["train", "sums.yaml", "--backend", "tinker", "--url", wrong], at, 1, said);
  other.close();
});

it("reports what a run that computes here does, and nothing that the server does not tell", async () => {
  const there = await facts<Record<string, unknown>>(onServer("--out", "runs/there", "--set", "evalEvery=3"), alone);
  const here = await facts<Record<string, unknown>>(["train", "sums.yaml", "--out", "runs/here", "--set", "evalEvery=3"], at);
  const shapeOf = (value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]))
      : null;
  expect(shapeOf({ ...there, judges: null })).toEqual(shapeOf({ ...here, judges: null }));
  expect(there).toMatchObject({ entropy: null, backend: { id: "tinker", threads: null } });
  for (const key of ["accuracy", "lift", "liftOverRandom", "kl", "verdict"]) expect(there[key], key).not.toBeNull();
});

it("trains, keeps no key anywhere, and goes on where the server had gone away", async () => {
  const summary = await facts<Summary>(onServer("--out", "runs/one"), alone);
  expect(summary).toMatchObject({ run: "runs/one", steps: 3 });
  const metrics = linesOf(path("runs/one/metrics.jsonl"));
  expect(metrics).toHaveLength(3);
  expect(metrics[0]).not.toHaveProperty("entropy");
  expect([...http.keys]).toEqual([KEY]);
  for (const file of ["run.json", "config.json", "metrics.jsonl", "trajectories.jsonl", "summary.json", "checkpoints/last.rollout"])
    expect(readFileSync(path("runs/one", file), "latin1")).not.toContain(KEY);

  const going = start(onServer("--out", "runs/two", "--set", "steps=40", "--progress", "json"), alone);
  await going.says('"step":3');
  // Gone in a way that the run hears of at once, and with it all that was not saved.
  http.tinker.restart();
  await going.says('"step":6');
  going.signal("SIGINT");
  expect((await going.ended).code).toBe(130);
  const again = await facts<Summary>(["train", "runs/two", "--resume", "--set", "steps=12"], alone);
  expect(again.steps).toBe(12);
});

it("says while it goes on that the server is away, and that it is back", async () => {
  const going = start(onServer("--out", "runs/away", "--set", "steps=400", "--progress", "json"), alone);
  await going.says('"step":2');
  http.isAway = true;
  await going.says("It is asked again for up to 60 s");
  http.isAway = false;
  await going.says("answers again");
  going.signal("SIGINT");
  const { code, stderr } = await going.ended;
  expect(code).toBe(130);
  const told = stderr.split("\n").filter((line) => line.includes('"notice"'));
  expect(told.map((line) => (JSON.parse(line) as { readonly message: string }).message)).toEqual([
    expect.stringMatching(/^2 held-out problems decide nothing/),
    expect.stringMatching(/^The server 127\.0\.0\.1:\d+ has not answered for 3 s \(the connection broke off: /),
    expect.stringMatching(/answers again; the run goes on\.$/),
  ]);
});

it("says what is wrong before it starts, without the key", async () => {
  await fails(
    [...onServer(), "--set", "entropyCoef=0.1"],
    at,
    1,
    /entropyCoef must be 0 with backend: tinker, got 0\.1: a server does not give entropies/,
  );
  await fails(
    [...onServer(), "--set", "checkpoint=numbers"],
    at,
    1,
    /checkpoint must be a model that the server 127\.0\.0\.1:\d+ offers \("\/models\/base"\), got "numbers"/,
  );
  await fails(["train", "sums.yaml", "--backend", "tinker"], at, 1, /give its address with --url or TINKER_BASE_URL/);
  await fails(
    ["train", "sums.yaml", "--backend", "tinker", "--url", "http://me:pw@x"],
    at,
    1,
    /--url must hold no name, password or query/,
  );
  http.isAway = true;
  await fails(onServer("--dry-run"), at, 1, /the server 127\.0\.0\.1:\d+ cannot be reached/);
  http.isAway = false;
});

/** A hub that has the lab's tokenizer for one model, of a kind that does not compute here, and a server with that model. */
async function withHub(
  model: string,
  use: (served: TinkerHttp, asked: readonly string[]) => Promise<void>,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  const asked: string[] = [];
  const tokenizer = (name: string) => readFileSync(join(import.meta.dirname, "../../../public/tokenizers/lab", name), "utf8");
  const texts: Readonly<Record<string, string>> = {
    "config.json": '{"model_type":"of_experts","vocab_size":512}',
    "tokenizer.json": tokenizer("tokenizer.json"),
    "tokenizer_config.json": tokenizer("tokenizer_config.json"),
    ...files,
  };
  const hub = createServer((request, response) => {
    const name = (request.url ?? "").replace(`/${model}/resolve/main/`, "");
    if (texts[name] === undefined) return void response.writeHead(404).end();
    if (request.method === "GET") asked.push(request.url ?? "");
    response.end(texts[name]);
  });
  await new Promise<void>((resolve) => hub.listen(0, "127.0.0.1", resolve));
  const served = await serveTinker(new TinkerServer({ offers: model }));
  process.env.HF_ENDPOINT = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
  try {
    await use(served, asked);
  } finally {
    delete process.env.HF_ENDPOINT;
    hub.close();
    served.close();
  }
}

it("brings the tokenizer alone of a model of the hub, of whatever kind the model is", async () => {
  await withHub("lab/large", async (large, asked) => {
    const begun = ["train", "sums.yaml", "--backend", "tinker", "--url", large.url, "--model", "lab/large", "--set", "steps=1"];
    // Nobody here knows how many weights a model of another kind has.
    expect(await facts<Summary>([...begun, "--out", "runs/large"], at)).toMatchObject({ steps: 1, parameters: null });
    expect([...asked].sort()).toEqual(
      ["config.json", "tokenizer.json", "tokenizer_config.json"].map((file) => `/lab/large/resolve/main/${file}`),
    );
    // It is here from now on, and is no model that could compute here.
    await facts([...begun, "--dry-run"], alone);
    expect(asked).toHaveLength(3);
    await fails(
      ["train", "sums.yaml", "--model", "lab/large"],
      at,
      1,
      /checkpoint must be a model that is in models\/, got lab\/large: rollout-lab fetch lab\/large brings it/,
    );
  });
});

it("says what is missing and what helps where no hub is within reach, and takes a folder of the model's name", async () => {
  await withHub("lab/nearby", async (served) => {
    const begun = ["train", "sums.yaml", "--backend", "tinker", "--url", served.url, "--set", "steps=1"];
    const hub = process.env.HF_ENDPOINT;
    process.env.HF_ENDPOINT = "http://127.0.0.1:9";
    await fails(
      [...begun, "--model", "lab/nearby", "--dry-run"],
      at,
      1,
      /the tokenizer of lab\/nearby is not here, and config\.json .* cannot be reached at .*: HF_ENDPOINT names another hub, and --model \.\/FOLDER\/nearby takes a folder with config\.json, tokenizer\.json, tokenizer_config\.json/,
    );
    mkdirSync(path("brought/nearby"), { recursive: true });
    for (const name of ["config.json", "tokenizer.json", "tokenizer_config.json"])
      writeFileSync(path("brought/nearby", name), await (await fetch(`${hub}/lab/nearby/resolve/main/${name}`)).text());
    expect((await facts<Summary>([...begun, "--model", "./brought/nearby", "--out", "runs/nearby"], at)).steps).toBe(1);
    if (hub !== undefined) process.env.HF_ENDPOINT = hub;
  });
});

it("brings a chat template that lies beside the tokenizer, and asks by it", async () => {
  // A vocabulary of its own, so that the template counts; none stands in the tokenizer's settings.
  const folder = join(import.meta.dirname, "../../../public/tokenizers/lab");
  const { chat_template: _, ...settings } = JSON.parse(readFileSync(join(folder, "tokenizer_config.json"), "utf8")) as Record<
    string,
    unknown
  >;
  const files = {
    "config.json": '{"model_type":"of_experts","vocab_size":500}',
    "tokenizer_config.json": JSON.stringify(settings),
    "chat_template.jinja":
      "{% for message in messages %}<{{ message.role }}>{{ message.content }}\n{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}",
  };
  const use = async ({ url: served }: TinkerHttp, asked: readonly string[]) => {
    const begun = ["train", "sums.yaml", "--backend", "tinker", "--url", served, "--model", "lab/jinja", "--set", "steps=1"];
    await facts<Summary>([...begun, "--out", "runs/jinja"], at);
    expect(asked).toContain("/lab/jinja/resolve/main/chat_template.jinja");
    expect(readFileSync(path("models/.tokenizers/lab--jinja@main/chat_template.jinja"), "utf8")).toBe(files["chat_template.jinja"]);
  };
  await withHub("lab/jinja", use, files);
});

it.each(["gsm8k", "math"])("trains on problems of %s's form with a model of the hub that only the server has", async (name) => {
  await withHub("Qwen/Qwen2.5-0.5B-Instruct", async ({ url: served, tinker }) => {
    const file = join(import.meta.dirname, "../../../configs", `${name}.yaml`);
    const small = "steps=2 promptsPerStep=2 groupSize=2 maxCompletionTokens=8 evalEvery=0 evalProblems=2".split(" ");
    const begun = ["train", file, "--backend", "tinker", "--url", served];
    const plan = await facts<{ readonly server: { readonly model: string } }>([...begun, "--dry-run"], at);
    expect(plan.server.model).toBe("Qwen/Qwen2.5-0.5B-Instruct");
    const summary = await facts<Summary>([...begun, ...small.flatMap((setting) => ["--set", setting]), "--out", `runs/${name}`], at);
    expect(summary.steps).toBe(2);
    const [first] = linesOf(path(`runs/${name}/trajectories.jsonl`));
    expect(JSON.stringify(first)).toContain(name === "math" ? "within \\\\boxed{}" : 'after \\"####\\"');
    expect(tinker.steps).toBeGreaterThan(2);
  });
});
