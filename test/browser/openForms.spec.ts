// Samples of every form of rollouts in one page, one after the other: what stands on the screen of each rollout, and of each token that has
// numbers, is what its file says.
import type { Page } from "@playwright/test";
import { type TrueForm, type TrueRollout, type TrueToken, trueForms, trueSteps } from "../support/traceTruth.ts";
import { dropFiles, expect, openLab, test } from "./lab.ts";
import { expectShown } from "./numbers.ts";

/** A number on the page, or what stands there instead. */
function expectNumber(text: string | undefined, value: number | null, without: readonly string[], what: string): void {
  expect(text, what).toBeDefined();
  if (value === null) expect(without, `${what}: "${text}"`).toContain(text);
  else expectShown(text!, value, what);
}

interface Drawn {
  readonly where: string;
  readonly title: string;
  readonly isHeading: boolean;
  /** Of the row in the list: "reward 1", "Short –", "cut off". */
  readonly facts: readonly string[];
  readonly advantage: string | null;
  readonly parts: Readonly<Record<string, string>>;
  readonly total: string;
  readonly said: string;
  readonly sampled: number;
}

/** What stands on the Rollouts screen, read in one go. */
const drawn = (page: Page, member: number): Promise<Drawn> =>
  page.evaluate((index) => {
    const text = (of: Element | null | undefined) => of?.textContent?.replace(/\s+/g, " ").trim() ?? "";
    const all = (of: ParentNode | null | undefined, selector: string) => [...(of?.querySelectorAll(selector) ?? [])];
    const row = all(document, ".group-item").find((each) => text(each.querySelector(".group-item-facts span")) === `#${index + 1}`);
    const rows = all(document, ".reward tbody tr").map((each) => all(each, "th, td").map(text));
    return {
      where: text(document.querySelector(".scrubber-where")),
      title: text(document.querySelector("#trajectory-title")),
      isHeading: document.querySelector("#trajectory-title")?.matches("h1, h2, h3, h4") ?? false,
      facts: all(row, ".group-item-facts span").map(text),
      advantage: text(row?.querySelector(".advantage-value")) || null,
      parts: Object.fromEntries(rows.slice(0, -1).map(([name, value]) => [name!.toLowerCase(), value!])),
      total: rows.at(-1)?.[1] ?? "",
      said: text(document.querySelector(".conversation")),
      sampled: all(document, ".turn-assistant [role=option]").length,
    };
  }, member);

/** Without blanks, and without the marks that stand for them or show a direction. */
const plain = (text: string) => text.replace(/[\s␣⏎▲▼]/g, "");

const WITHOUT = ["–", "none", "unscored", "could not score"];

/** Goes to a place, and waits in the page itself until it is drawn: to ask for a heading by its role takes longer than to draw the place. */
function goTo(page: Page, hash: string, title: string): Promise<void> {
  return page.evaluate(
    async ([to, wanted]) => {
      window.location.hash = to;
      const isThere = () => {
        const heading = document.querySelector("#trajectory-title");
        return heading?.checkVisibility() && heading.textContent?.replace(/\s+/g, " ").trim() === wanted;
      };
      for (let frames = 0; frames < 900 && !isThere(); frames++) await new Promise((resolve) => requestAnimationFrame(resolve));
    },
    [hash, title] as const,
  );
}

async function expectRollout(
  page: Page,
  step: number,
  prompt: number,
  member: number,
  { length }: { readonly length: number },
  is: TrueRollout,
) {
  await goTo(page, `#/rollouts?step=${step}&prompt=${prompt + 1}&completion=${member + 1}`, `Completion ${member + 1}`);
  await expect(async () => {
    const shown = await drawn(page, member);
    expect([shown.title, shown.isHeading]).toEqual([`Completion ${member + 1}`, true]);
    expect(shown.where).toContain(`step ${step}`);
    const what = `step ${step}, prompt ${prompt + 1}, #${member + 1} of ${length}`;
    expectNumber(shown.facts.find((fact) => fact.startsWith("reward "))?.slice(7), is.reward, WITHOUT, `${what}, reward`);
    expectNumber(shown.total, is.reward, WITHOUT, `${what}, total`);
    if (is.advantage === null) expect(shown.advantage).toBeNull();
    else expectNumber(shown.advantage ?? undefined, is.advantage, WITHOUT, `${what}, advantage`);
    expect(shown.facts.includes("cut off"), `${what}, cut off`).toBe(is.isCutOff);
    const names = Object.keys(is.parts);
    expect(Object.keys(shown.parts)).toHaveLength(names.length);
    for (const name of names) {
      const title = name.replaceAll("_", " ");
      const found = shown.parts[name] ?? shown.parts[title];
      expectNumber(found, is.parts[name]!, WITHOUT, `${what}, ${name}`);
    }
    if (is.says !== null) expect(plain(shown.said)).toContain(plain(is.says));
    if (is.tokens) expect(shown.sampled, `${what}, tokens`).toBe(is.tokens.length);
  }).toPass({ timeout: 15_000 });
  if (is.tokens) await expectTokens(page, is.tokens);
}

const CARD: readonly (readonly [key: keyof TrueToken, name: RegExp])[] = [
  ["logprob", /^Log-prob log p/],
  ["trainEntropy", /^Entropy in training/],
  ["advantage", /^Advantage/],
];

/** Points at each token that the policy sampled, one after the other, and reads its card once it is selected. */
const cardsOf = (page: Page, count: number): Promise<readonly Readonly<Record<string, string>>[]> =>
  page.evaluate(async (tokens) => {
    const text = (of: Element | null) => of?.textContent?.replace(/\s+/g, " ").trim() ?? "";
    const option = (t: number) => document.querySelectorAll(".turn-assistant [role=option]")[t];
    const cards: Record<string, string>[] = [];
    for (let t = 0; t < tokens; t++) {
      option(t)?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, composed: true }));
      for (let frames = 0; option(t)?.getAttribute("aria-selected") !== "true"; frames++) {
        if (frames === 600) throw new Error(`token ${t + 1} of ${tokens} was not selected`);
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      const rows = [...document.querySelectorAll(".token-card:not([data-empty]) .figures > div")];
      cards.push(Object.fromEntries(rows.map((row) => [text(row.querySelector("dt")), text(row.querySelector("dd"))])));
    }
    return cards;
  }, count);

/** Each token has the numbers of its file on its card. */
async function expectTokens(page: Page, tokens: readonly TrueToken[]): Promise<void> {
  const cards = await cardsOf(page, tokens.length);
  for (const [t, token] of tokens.entries()) {
    const card = cards[t]!;
    for (const [key, name] of CARD) {
      const found = Object.entries(card).find(([title]) => name.test(title))?.[1];
      if (token[key] === undefined) continue;
      expect(found, `token ${t + 1}, ${key}`).toBeDefined();
      expectShown(found!, token[key], `token ${t + 1}, ${key}`);
    }
  }
}

async function expectForm(page: Page, form: TrueForm): Promise<void> {
  await dropFiles(
    page,
    form.files.map(({ path, bytes }) => ({ name: path.replace(/.*\//, ""), bytes })),
  );
  const report = page.getByRole("region", { name: form.title, exact: true });
  await expect(report).toContainText(`${form.rollouts.length} rollouts`);
  const steps = trueSteps(form);
  await expect(report).toContainText(`${steps.length} step${steps.length > 1 ? "s" : ""}`);
  for (const [step, groups] of steps)
    for (const [prompt, group] of groups.entries())
      for (const [member, is] of group.entries()) await expectRollout(page, step, prompt, member, group, is);
}

test("every form that is dropped stands on the page with the numbers of its files", async ({ page }) => {
  test.slow();
  await openLab(page, "#/open");
  for (const form of await trueForms()) await test.step(form.id, () => expectForm(page, form));
});
