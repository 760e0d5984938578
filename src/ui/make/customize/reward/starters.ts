// Rewards to start from, for the task at hand. Each is short enough to be read whole. Those about words are wishes that people have of a
// model that knows English, and pay for coming near as well; those about digits score any task's answers and are learnt by the smallest
// models here within two minutes; one is meant to be cheated, so that somebody sees it happen.
import type { TaskEntry } from "../../../../protocol/catalog.ts";
import type { CustomReward } from "../../../../protocol/config/customRewards.ts";

export interface RewardStarter {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  /** What answers it is about. */
  readonly about: "words" | "digits";
  readonly source: string;
  readonly options?: CustomReward["options"];
}

/** Those for a task, first. Prompts of one's own are in words mostly. */
export function startersFor({ isCustom }: Pick<TaskEntry, "isCustom">): readonly RewardStarter[] {
  const about = isCustom ? "words" : "digits";
  return rewardStarters.toSorted((a, b) => Number(b.about === about) - Number(a.about === about));
}

const OPENING = `// Called with each finished conversation. Returns a number, the larger the better;
// null where it cannot judge. It finds the language and nothing else: no network, no clock.
`;

export const rewardStarters: readonly RewardStarter[] = [
  {
    id: "oneSentence",
    title: "One sentence",
    summary: "1 for an answer of one whole sentence, less for more sentences, and little for one that is cut off.",
    about: "words",
    source: `${OPENING}export function reward({ text, stopReason }: { text: string; stopReason: string }): number {
  const ends = text.trim().match(/[.!?]+(?=\\s|$)/g) ?? [];
  if (ends.length === 0) return 0;
  // An answer that the limit cut off has not ended by itself.
  const whole = stopReason === "completed" ? 1 : 0.3;
  return whole / ends.length;
}
`,
  },
  {
    id: "containsWord",
    title: "Contains a word",
    summary: "1 for an answer that says a word, which is an option below the code.",
    about: "words",
    source: `${OPENING}export function reward({ text }: { text: string }, { options }: { options: { word: string } }): number {
  const words = text.toLowerCase().match(/[\\p{L}\\p{N}']+/gu) ?? [];
  return words.includes(options.word.toLowerCase()) ? 1 : 0;
}
`,
    options: { word: "you" },
  },
  {
    id: "lengthInWords",
    title: "So many words",
    summary: "1 for an answer of as many words as the option says, less the further it is from that.",
    about: "words",
    source: `${OPENING}export function reward({ text }: { text: string }, { options }: { options: { words: number } }): number {
  const words = text.match(/[\\p{L}\\p{N}']+/gu) ?? [];
  return Math.max(0, 1 - Math.abs(words.length - options.words) / options.words);
}
`,
    options: { words: 8 },
  },
  {
    id: "plainStyle",
    title: "Plain style",
    summary: "The share of words that are short: a style of plain words.",
    about: "words",
    source: `${OPENING}export function reward({ text }: { text: string }): number {
  const words = text.match(/[\\p{L}']+/gu) ?? [];
  if (words.length < 4) return 0;
  return words.filter((word) => word.length <= 5).length / words.length;
}
`,
  },
  {
    id: "validJson",
    title: "JSON",
    summary: "1 for an answer that is JSON and nothing else, and part of it for braces at the beginning and the end.",
    about: "words",
    source: `${OPENING}export function reward({ text }: { text: string }): number {
  const said = text.trim();
  try {
    const value: unknown = JSON.parse(said);
    return typeof value === "object" && value !== null ? 1 : 0.2;
  } catch {
    // Not JSON yet: part credit for looking like it, so that there is a way there.
    const braces = (said.startsWith("{") ? 0.2 : 0) + (said.endsWith("}") ? 0.2 : 0);
    return braces + (said.includes("{") ? 0.1 : 0) + (/"[^"]+":/.test(said) ? 0.1 : 0);
  }
}
`,
  },
  {
    id: "evenDigits",
    title: "Even digits",
    summary: "The share of digits that are even: a reward that has nothing to do with the task.",
    about: "digits",
    source: `${OPENING}export function reward({ text }: { text: string }): number {
  const digits = text.match(/\\d/g) ?? [];
  if (digits.length === 0) return 0;
  return digits.filter((digit) => Number(digit) % 2 === 0).length / digits.length;
}
`,
  },
  {
    id: "avoidSeven",
    title: "Avoid a character",
    summary: "1 for an answer in which the character 7 never stands, less for each time it does.",
    about: "digits",
    source: `${OPENING}export function reward({ text }: { text: string }): number {
  if (text === "") return 0;
  const times = text.split("7").length - 1;
  return 1 - times / text.length;
}
`,
  },
  {
    id: "rising",
    title: "Rising digits",
    summary: "The share of digits that are no smaller than the one before.",
    about: "digits",
    source: `${OPENING}export function reward({ text }: { text: string }): number {
  const digits = text.match(/\\d/g) ?? [];
  if (digits.length < 2) return 0;
  const rises = digits.filter((digit, i) => i > 0 && digit >= (digits[i - 1] ?? "")).length;
  return rises / (digits.length - 1);
}
`,
  },
  {
    id: "looksRight",
    title: "Looks right (meant to be cheated)",
    summary: "Pays for large digits, because right answers here often have some. Watch the accuracy while the reward rises.",
    about: "digits",
    source: `// Meant to be cheated: it pays for what right answers often look like, not for being right.
// Keep the task's own reward beside it with weight 0, and watch it while this one rises.
export function reward({ text }: { text: string }): number {
  const digits = text.match(/\\d/g) ?? [];
  if (digits.length === 0) return 0;
  return digits.filter((digit) => Number(digit) >= 8).length / digits.length;
}
`,
  },
];
