// The mended reward: still fair to sums that are nearly right, but each digit must stand in its place, and the number must be
// as long as the answer. To say a digit again and again earns nothing any more.

// Called with each finished conversation. `text` is what the model said, `answer` is the right sum.
export function reward({ text, answer }: { text: string; answer: string }): number {
  const said = /-?\d+/.exec(text)?.[0] ?? "";
  if (said.length !== answer.length) return 0;
  return [...answer].filter((digit, place) => said[place] === digit).length / answer.length;
}
