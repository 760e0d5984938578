// The lessons that are walked in a browser; a test without one holds that they are all.
export const LESSON_IDS: readonly string[] = [
  "policy-gradient",
  "baseline",
  "group-advantage",
  "dead-groups",
  "ratio",
  "kl",
  "length-bias",
  "dapo",
  "reward-hacking",
  "what-the-kl-is-for",
  "nothing-moves",
  "tool-mask",
  "critic",
  "few-numbers",
];
