// Rewards to start from, for the task at hand. Each is short enough to be read whole, scores any task's answers, and is learnt by the smallest
// models here within two minutes; one is meant to be cheated, so that somebody sees it happen.

export interface RewardStarter {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly source: string;
}

const OPENING = `// Called with each finished conversation. Returns a number, the larger the better;
// null where it cannot judge. It finds the language and nothing else: no network, no clock.
`;

export const rewardStarters: readonly RewardStarter[] = [
  {
    id: "evenDigits",
    title: "Even digits",
    summary: "The share of digits that are even: a reward that has nothing to do with the task.",
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
