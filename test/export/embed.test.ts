// Pages for frames, and the code that shows them.
import { expect, it } from "vitest";
import { chartEmbed, conversationEmbed, frameCode } from "../../src/export/page/embed.ts";

const curve = { title: "Reward", name: "<raw>", xs: [1, 2], ys: [0, 1], others: [{ name: "other", xs: [1, 2], ys: [0.25, 0.5] }] };

it("a chart has its lines with their names and last values, the run, and nothing from elsewhere", () => {
  const { html, title } = chartEmbed(curve, { caption: "Sums, seed 2" });
  expect(title).toBe("Reward");
  expect(html).toContain('<span class="line-1">&lt;raw&gt; <b>1</b></span> <span class="line-2">other <b>0.5</b></span>');
  expect(html).toContain('aria-label="Reward: &lt;raw&gt; from 0 to 1, other from 0.25 to 0.5"');
  expect(html).toContain("Sums, seed 2");
  expect(html).not.toMatch(/<script|https?:|src=/);
});

it("the code of a frame holds a page whole, whatever signs are in it", () => {
  const { html } = conversationEmbed(
    "Said",
    { verdict: "right", messages: [{ role: "user", content: `"5" < 6 & '7'` }] },
    { caption: "a" },
  );
  const code = frameCode({ srcdoc: html }, "Said", 120.4);
  expect(code).toMatch(/^<iframe srcdoc="[^"]*" width="640" height="121" style="[^"]*" loading="lazy" title="Said">/);
  const held = /srcdoc="([^"]*)"/.exec(code)![1]!;
  const read = held
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
  expect(read).toBe(html);
});

it("a longer conversation has a higher frame, up to where it scrolls", () => {
  const height = (lines: number) =>
    conversationEmbed("Said", { verdict: "", messages: [{ role: "user", content: "line\n".repeat(lines) }] }, { caption: "" }).height;
  expect(height(4)).toBeGreaterThan(height(1));
  expect(height(1000)).toBe(height(2000));
});
