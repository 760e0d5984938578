// Only the exact sum of the digits earns something: no credit for being near.
export function reward({ text, answer }: { text: string; answer: string }): number {
  const digits = text.replace(/\D/g, "");
  return [...digits].reduce((sum, digit) => sum + Number(digit), 0) === Number(answer) ? 1 : 0;
}
