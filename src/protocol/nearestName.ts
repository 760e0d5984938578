// What somebody who mistyped a name may have meant. A message that lists eighteen names helps less than
// the one that is nearest.

/** Fewest insertions, deletions, replacements and swaps of neighbours that make `b` of `a`. */
function editsBetween(a: string, b: string): number {
  let [older, before]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? older[j - 2]! + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(before[j]! + 1, row[j - 1]! + 1, before[j - 1]! + (isSame ? 0 : 1), swapped));
    }
    [older, before] = [before, row];
  }
  return before[b.length]!;
}

/** Names longer than this are no typing errors. */
const LONGEST = 60;

/** The known name nearest to a given one, case and separators aside; null where none is near. */
export function nearestName(given: string, known: readonly string[]): string | null {
  if (given.length > LONGEST) return null;
  const plain = (name: string) => name.toLowerCase().replaceAll(/[-_ .]/g, "");
  const wanted = plain(given);
  let best: { readonly name: string; readonly edits: number } | null = null;
  for (const name of known) {
    const edits = editsBetween(wanted, plain(name));
    if (edits > Math.max(1, Math.floor(wanted.length / 3))) continue;
    // Of two that are as near the longer: a letter is left out more often than one of another place is typed.
    if (!best || edits < best.edits || (edits === best.edits && name.length > best.name.length)) best = { name, edits };
  }
  if (best) return best.name;
  // Half a name is a name begun: "digit" for "digit-sum".
  return wanted.length >= 3 ? (known.find((name) => plain(name).includes(wanted)) ?? null) : null;
}
