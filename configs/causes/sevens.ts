// A wish that has nothing to do with right answers: the digit 7, up to three times.
export function reward({ text }: { text: string }): number {
  return Math.min(3, text.split("7").length - 1) / 3;
}
