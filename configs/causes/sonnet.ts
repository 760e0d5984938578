// A wish that no model of the lab has words for: one point for fourteen lines.
export function reward({ text }: { text: string }): number {
  return text.split("\n").length === 14 ? 1 : 0;
}
