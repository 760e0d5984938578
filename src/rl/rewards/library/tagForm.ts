// Whether the last message keeps a form of tags, such as <think>...</think><answer>...</answer>: each once,
// in their order, with something in each and nothing outside (DeepSeek-R1's format reward; the share of tags
// that are right, as verifiers' XML parser gives it, helps a policy that is far from the form).
import { declare, flag, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { finalAnswer } from "../rewardRule.ts";
import { defineLibraryRule } from "./libraryRule.ts";

const mustBe = "must be names of tags with commas between them";
const names = z
  .string()
  .regex(/^[a-z]\w{0,19}(?:,[a-z]\w{0,19}){0,7}$/, mustBe)
  .default("think,answer");

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Share of the tags that stand exactly once, opened, filled and closed, each after the one before. */
function tagShare(text: string, tags: readonly string[]): number {
  let from = 0;
  let right = 0;
  for (const tag of tags) {
    const open = `<${tag}>`;
    const close = `</${tag}>`;
    const start = text.indexOf(open, from);
    const end = text.indexOf(close, start);
    if (start < 0 || end < 0 || count(text, open) !== 1 || count(text, close) !== 1) continue;
    if (text.slice(start + open.length, end).trim() === "") continue;
    from = end + close.length;
    right += 1;
  }
  return right / tags.length;
}

/** Whether all tags are right and only blanks stand outside them. */
function isClean(text: string, tags: readonly string[]): boolean {
  if (tagShare(text, tags) < 1) return false;
  let from = 0;
  for (const tag of tags) {
    if (text.slice(from, text.indexOf(`<${tag}>`)).trim() !== "") return false;
    from = text.indexOf(`</${tag}>`) + tag.length + 3;
  }
  return text.slice(from).trim() === "";
}

/** 1 for the form, else 0 or the share of tags that are right. */
export const tagForm = defineLibraryRule({
  name: "tagForm",
  title: "Form of tags",
  help: "1 when the last message consists of the tags, each once, filled and in order, else 0 or a share of it.",
  weight: 0.5,
  settingsSchema: z.strictObject(
    section("task", {
      tags: declare(names, "Tags", "Names of the tags in their order, with commas between them.", { mustBe }),
      partial: flag(false, "Partial credit", "Give the share of tags that are right, with text outside allowed."),
    }),
  ),
  score({ tags, partial }, _, trajectory) {
    const text = finalAnswer(trajectory) ?? "";
    if (partial) return tagShare(text, tags.split(","));
    return isClean(text, tags.split(",")) ? 1 : 0;
  },
  python: `
def tag_share(text, tags):
    start_at, right = 0, 0
    for tag in tags:
        opening, closing = f"<{tag}>", f"</{tag}>"
        start = text.find(opening, start_at)
        end = text.find(closing, max(0, start))
        if start < 0 or end < 0 or text.count(opening) != 1 or text.count(closing) != 1:
            continue
        if trimmed(text[start + len(opening) : end]) == "":
            continue
        start_at = end + len(closing)
        right += 1
    return right / len(tags)


def tag_form(judged, tags, partial):
    text, names = judged.text, tags.split(",")
    share = tag_share(text, names)
    if partial or share < 1:
        return share if partial else 0.0
    at, outside = 0, ""
    for name in names:
        outside += text[at : text.index(f"<{name}>")]
        at = text.index(f"</{name}>") + len(name) + 3
    return float(trimmed(outside + text[at:]) == "")
`,
});
