// Whether an answer is one sentence, or a few.
import { integer, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { finalAnswer } from "../rewardRule.ts";
import { defineLibraryRule } from "./libraryRule.ts";

/**
 * Where a sentence ends: at marks before a blank or the end, with quotes or brackets that close there. A row of marks
 * is looked at once.
 */
const END = /(?<![.!?…])[.!?…]+["'”’)\]]*(?=\s|$)/u;

/** Sentences of a text; null where it is none, as where its last one has no end or lines follow each other. */
export function sentencesOf(text: string): readonly string[] | null {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.includes("\n")) return null;
  const parts = trimmed.split(END);
  if (parts.pop()?.trim() !== "") return null;
  return parts.map((part) => part.trim());
}

const wordsOf = (sentence: string) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** 1 where the last message, ended by the policy itself, has 1 to `most` sentences of `words` words or more each, else 0. */
export const sentences = defineLibraryRule({
  name: "sentences",
  title: "Few sentences",
  help: "1 when the policy ended its answer by itself and it is made of whole sentences, no more than the most, else 0.",
  weight: 1,
  needs: ["stop"],
  settingsSchema: z.strictObject(
    section("task", {
      most: integer(1, 100, 1, "Most sentences", "How many there may be."),
      words: integer(1, 50, 3, "Fewest words", "How many words each of them has at least."),
    }),
  ),
  score({ most, words }, _, trajectory) {
    if (trajectory.stopReason !== "completed") return 0;
    const said = sentencesOf(finalAnswer(trajectory) ?? "");
    return said !== null && said.length <= most && said.every((sentence) => wordsOf(sentence) >= words) ? 1 : 0;
  },
  python: String.raw`
SENTENCE_END = regex("[.!?…]+[\"'”’)\\]]*(?=\\s|\\Z)")


def sentences(judged, most, words):
    text = trimmed(judged.text)
    parts = SENTENCE_END.split(text)
    if not judged.completed or text == "" or "\n" in text or trimmed(parts.pop()) != "":
        return 0.0
    counts = [sum(any(unicodedata.category(sign)[0] in "LN" for sign in word) for word in split(part)) for part in parts]
    return float(len(parts) <= most and all(count >= words for count in counts))
`,
});
