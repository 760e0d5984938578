// Where the lab and math-verify part on the pairs of test/reference/math-verify-answers.json: every pair, and who is right.
const r = String.raw;

/** Pairs of a text and a gold answer of one kind on which the two differ. */
export interface Difference {
  readonly kind: string;
  readonly right: "here" | "there";
  readonly why: string;
  readonly pairs: readonly (readonly [text: string, gold: string])[];
}

export const differences: readonly Difference[] = [
  {
    kind: "whole numbers",
    right: "here",
    why: r`\, divides groups of thousands: 8\,629 is 8629. math-verify adds 8 and 629.`,
    pairs: [
      [r`So it is $\boxed{8\,629}$.`, "8629.0"],
      [r`The answer is $7\,926$.`, "7{,}926"],
      [r`The answer is $9\,390$.`, "9390.0"],
      [r`The answer is $9\,980$.`, "+9980"],
      [r`So it is $\boxed{5\,540}$.`, "+5540"],
    ],
  },
  {
    kind: "units of one kind and another",
    right: "here",
    why: "A length is no mass. math-verify leaves units out.",
    pairs: [
      [r`So it is $\boxed{16\text{ cm}}$.`, r`16\text{ kg}`],
      [r`The answer is $8\text{ cm}$.`, r`8\text{ kg}`],
      [r`So it is $\boxed{13\text{ kg}}$.`, r`13\text{ cm}`],
      [r`So it is $\boxed{27\text{ cm}}$.`, r`27\text{ kg}`],
      [r`The answer is $15\text{ cm}$.`, r`15\text{ kg}`],
      [r`The answer is $2\text{ cm}$.`, r`2\text{ kg}`],
      [r`The answer is $11\text{ kg}$.`, r`11\text{ cm}`],
      [r`So it is $\boxed{14\text{ cm}}$.`, r`14\text{ kg}`],
      [r`The answer is $20\text{ kg}$.`, r`20\text{ cm}`],
      [r`So it is $\boxed{18\text{ cm}}$.`, r`18\text{ kg}`],
      [r`The answer is $2\text{ kg}$.`, r`2\text{ cm}`],
      [r`The answer is $21\text{ kg}$.`, r`21\text{ cm}`],
      [r`The answer is $29\text{ cm}$.`, r`29\text{ kg}`],
      [r`So it is $\boxed{17\text{ cm}}$.`, r`17\text{ kg}`],
      [r`So it is $\boxed{3\text{ kg}}$.`, r`3\text{ cm}`],
      [r`So it is $\boxed{19\text{ kg}}$.`, r`19\text{ cm}`],
      [r`So it is $\boxed{5\text{ kg}}$.`, r`5\text{ cm}`],
    ],
  },
  {
    kind: "mixed numbers in plain signs",
    right: "here",
    why: "2 22/28 is 78/28. math-verify reads (2 + 22)/28.",
    pairs: [
      [r`So it is $\boxed{8 2/25}$.`, "202/25"],
      ["The answer is $137/5$.", "27 2/5"],
      [r`So it is $\boxed{78/28}$.`, "2 22/28"],
      ["The answer is $11 12/14$.", "166/14"],
      [r`So it is $\boxed{14 5/20}$.`, "285/20"],
      [r`So it is $\boxed{20 4/7}$.`, "144/7"],
      [r`So it is $\boxed{18 7/25}$.`, "457/25"],
      [r`So it is $\boxed{611/28}$.`, "21 23/28"],
      [r`So it is $\boxed{29 8/15}$.`, "443/15"],
      [r`So it is $\boxed{17 13/28}$.`, "489/28"],
      [r`So it is $\boxed{95/26}$.`, "3 17/26"],
    ],
  },
  {
    kind: "polynomials in another order",
    right: "there",
    why: "Both are one polynomial. Expressions with letters are compared as they are written here, up to blanks and braces.",
    pairs: [
      [r`So it is $\boxed{x(x + 13)}$.`, "13x + x^2"],
      [r`So it is $\boxed{x^2 + 2x}$.`, "2x + x^2"],
      [r`So it is $\boxed{14x + x^2}$.`, "x^2 + 14x"],
      ["The answer is $x^2 + 20x$.", "20x + x^2"],
      ["The answer is $x(x + 18)$.", "18x + x^2"],
      [r`So it is $\boxed{x^2 + 21x}$.`, "x(x + 21)"],
      ["The answer is $x(x + 3)$.", "x^2 + 3x"],
      ["The answer is $20x + x^2$.", "x(x + 20)"],
    ],
  },
  {
    kind: "equations in an unknown",
    right: "here",
    why: "x^2 = 169 does not say that the answer is 169. math-verify takes what stands behind the last =.",
    pairs: [
      ["The answer is $x^2 = 169$.", "169"],
      ["The answer is $x^2 = 324$.", "324"],
      ["The answer is $x^2 = 441$.", "441"],
    ],
  },
  {
    kind: "sums",
    right: "there",
    why: "Both are one number. Sums are not worked out here: a policy would earn by repeating the question.",
    pairs: [
      ["The answer is $29$.", "27 + 2"],
      [r`So it is $\boxed{40}$.`, "15 + 25"],
      [r`So it is $\boxed{24}$.`, "2 + 22"],
      ["The answer is $11 + 12$.", "12 + 11"],
      ["The answer is $5 + 14$.", "19"],
      ["The answer is $4 + 20$.", "20 + 4"],
      [r`So it is $\boxed{25 + 20}$.`, "45"],
    ],
  },
];
