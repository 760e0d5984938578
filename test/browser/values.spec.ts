// Every number on the page is the engine's, to the digits it is shown with. What is expected is computed
// here from the engine's records by the formulas of the papers, not by the page's own functions.
import type { Locator, Page } from "@playwright/test";
import type { GroupRecord, TrajectoryRecord } from "../../src/protocol/records.ts";
import { expect, openLab, runToEnd, snapshot, TABLE, TINY, testInSamePage as test } from "./lab.ts";
import { expectShown, readNumber } from "./numbers.ts";

test.describe.configure({ mode: "default" });

const RUN = { ...TINY, steps: 6, klCoef: 0.05, innerEpochs: 2, learningRate: 0.03, clipLow: 0.02, clipHigh: 0.02, temperature: 0.9 };

/** What the token card must show, from the record. */
function expectedFacts({ channels }: TrajectoryRecord, t: number): Readonly<Record<string, number>> {
  const old = channels.oldLogprobs![t]!;
  const trained = channels.trainLogprobs![t]!;
  const reference = channels.refLogprobs![t]!;
  const updated = channels.newLogprobs![t]!;
  return {
    Advantage: channels.advantages![t]!,
    "Change of log-prob": updated - old,
    // Importance ratio of PPO and GRPO: new over old probability.
    Ratio: Math.exp(trained - old),
    Push: -channels.lossWeights![t]!,
    "Log-prob": old,
    Entropy: channels.sampledEntropies![t]!,
    "Entropy in training": channels.trainEntropies![t]!,
    // k3 of Schulman (2020): r - 1 - log r with r = reference over policy.
    "KL to reference": Math.exp(reference - trained) - 1 - (reference - trained),
    Mask: channels.mask[t]!,
    "Reference log-prob": reference,
  };
}

async function cardRows(card: Locator): Promise<Readonly<Record<string, string>>> {
  const rows = await card.locator("dl > div").evaluateAll((elements) =>
    elements.map((row) => {
      const term = row.querySelector("dt");
      const name = [...(term?.childNodes ?? [])].filter((node) => node.nodeName !== "I").map((node) => node.textContent);
      return [name.join("").trim(), row.querySelector("dd")?.textContent?.trim() ?? ""] as const;
    }),
  );
  return Object.fromEntries(rows);
}

async function openToken(page: Page, step: number, prompt: number, trajectory: number, token: number): Promise<Locator> {
  await page.goto(`/#/rollouts?step=${step}&prompt=${prompt + 1}&completion=${trajectory + 1}&token=${token + 1}`);
  const card = page.getByRole("complementary", { name: "Token" });
  await expect(card).toContainText(`token ${token + 1} of 4, pinned`);
  await expect(page.getByRole("heading", { name: `Completion ${trajectory + 1}` })).toBeVisible();
  return card;
}

/** The engine's own record of a group, asked for over the page's link. */
async function engineGroups(page: Page, step: number): Promise<readonly GroupRecord[]> {
  const { groups, step: last } = await snapshot(page);
  expect(last).toBe(step);
  return groups;
}

test("every number of a token card, and rewards, advantages and group figures, are the engine's", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, RUN);
  for (const [prompt, trajectory, token] of [
    [0, 0, 0],
    [0, 3, 2],
    [1, 7, 3],
  ] as const) {
    const card = await openToken(page, 6, prompt, trajectory, token);
    const group = (await engineGroups(page, 6)).find(({ promptIndex }) => promptIndex === prompt);
    const record = group?.trajectories[trajectory];
    if (!record) throw new Error(`the engine has no group ${prompt}`);
    const rows = await cardRows(card);
    const expected = expectedFacts(record, token);
    for (const [name, value] of Object.entries(expected)) {
      expect(Object.keys(rows)).toContain(name);
      expectShown(rows[name] ?? "", value, name);
    }
    const chain = card.locator(".token-card-chain b");
    expectShown((await chain.nth(0).textContent()) ?? "", Math.exp(record.channels.oldLogprobs![token]!), "p when sampled");
    expectShown((await chain.nth(1).textContent()) ?? "", Math.exp(record.channels.newLogprobs![token]!), "p after the update");
    const clipped =
      Math.abs((expected.Ratio ?? 1) - 1) > 0.02 && Math.sign((expected.Ratio ?? 1) - 1) === Math.sign(expected.Advantage ?? 0);
    expect(rows["Clip state"]).toMatch(clipped ? /^clipped/ : /^not clipped/);
    await expect(card).toContainText(`id ${record.tokens[token]},`);
  }

  await openToken(page, 6, 1, 2, 0);
  // The page holds the group that it shows; the others it brings as they are looked at.
  const group = (await engineGroups(page, 6)).find(({ promptIndex }) => promptIndex === 1);
  if (!group) throw new Error("the engine has no second group");
  const items = page.getByRole("listbox", { name: "8 completions" }).getByRole("option");
  await expect(items).toHaveCount(8);
  const shown = await items.evaluateAll((elements) =>
    elements.map((element) =>
      Array.from(element.querySelectorAll(".group-item-facts > span, .advantage-value, .group-item-mark"), (part) => part.textContent).join(
        " | ",
      ),
    ),
  );
  for (const text of shown) {
    const record = group.trajectories[Number(/#(\d+)/.exec(text)?.[1]) - 1];
    if (!record) throw new Error(`no completion in "${text}"`);
    expectShown(/reward ([−\d.e]+)/.exec(text)?.[1] ?? "", record.reward ?? Number.NaN, "reward");
    expectShown(/A ([+−]?[\d.e−]+)/.exec(text)?.[1] ?? "", record.advantage!, "advantage");
    expect(text).toContain(record.success ? "right" : "wrong");
  }
  const cells = page.getByRole("table", { name: "Reward" }).locator("tbody tr").first().locator("td");
  const [part] = group.trajectories[2]!.rewardParts;
  expectShown((await cells.nth(0).textContent()) ?? "", part?.value ?? Number.NaN, "reward part");
  expectShown((await cells.nth(1).textContent()) ?? "", part?.weight ?? Number.NaN, "weight");
  const rewards = group.trajectories.map(({ reward }) => reward ?? Number.NaN);
  const mean = rewards.reduce((a, b) => a + b) / rewards.length;
  const prompt = page.getByRole("listbox", { name: "Prompts" }).getByRole("option").nth(1);
  expectShown(/reward ([−\d.e]+)/.exec(await prompt.innerText())?.[1] ?? "", mean, "mean reward");
});

test("charts, their tables and the evaluation read out the metric history", async ({ page }) => {
  await openLab(page);
  const { metrics, evaluations, groups } = await runToEnd(page, TABLE);
  const slider = page.getByRole("slider", { name: "Smoothing" });
  await slider.press("Home");
  const chart = page.getByRole("region", { name: /^Reward$/ });
  const last = metrics.at(-1)?.metrics.reward ?? Number.NaN;
  await expect.poll(async () => readNumber((await chart.locator(".chart-readout b").textContent()) ?? "").value).toBeCloseTo(last, 2);
  await chart.getByRole("button", { name: "Reward: options" }).click();
  await page.getByRole("menuitem", { name: "Show as table" }).click();
  const rows = chart.locator("tbody tr");
  await expect(rows).toHaveCount(40);
  const cells = await rows.evaluateAll((elements) =>
    elements.map((row) => [row.querySelector("th")?.textContent ?? "", row.querySelector("td")?.textContent ?? ""] as const),
  );
  for (const [step, text] of cells) expectShown(text, metrics[Number(step) - 1]?.metrics.reward ?? Number.NaN, `reward of step ${step}`);
  const latest = evaluations.at(-1);
  const readouts = page.getByLabel("Evaluation after step 40");
  await expect(readouts).toBeVisible();
  const text = (await readouts.textContent()) ?? "";
  expectShown(/greedy accuracy\s*([\d.]+\s%)/.exec(text)?.[1] ?? "", latest?.greedyAccuracy ?? Number.NaN, "greedy accuracy");
  expectShown(/sampled accuracy\s*([\d.]+\s%)/.exec(text)?.[1] ?? "", latest?.sampledAccuracy ?? Number.NaN, "sampled accuracy");
  const sums = await page.locator(".rows .row-reading").allTextContents();
  for (const [index, text] of sums.entries()) {
    const record = groups[0]?.trajectories[index];
    const [, reward, mean, deviation, advantage] = /^\(([\d.]+) − ([\d.]+)\) \/ ([\d.e−]+) [=≈](.*)$/.exec(text) ?? [];
    expectShown(reward ?? "", record?.reward ?? Number.NaN, `reward in "${text}"`);
    expectShown(advantage?.replace(/[▲▼]/, "").trim() ?? "", record?.advantage ?? Number.NaN, `advantage in "${text}"`);
    const told = (readNumber(reward ?? "").value - readNumber(mean ?? "").value) / readNumber(deviation ?? "").value;
    expect(Math.abs(told - (record?.advantage ?? Number.NaN)), text).toBeLessThan(0.1);
  }
  const group = groups[0]?.trajectories.map(({ reward }) => reward ?? Number.NaN) ?? [];
  const score = page.locator(".phase", { hasText: "Score" }).locator(".phase-reading");
  expectShown((await score.textContent()) ?? "", group.reduce((a, b) => a + b, 0) / group.length, "mean reward of the group");
});
