// Numbers and tables as the results write them.

/** Three significant digits, no exponent, thousands with commas. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (Math.abs(value) >= 1000) return Math.round(Number(value.toPrecision(3))).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}

/** A Markdown table; the first column is text, the others are figures. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map((_, i) => (i === 0 ? "---" : "---:")).join("|")}|`, ...rows.map(line)];
}

/** A share in whole percent; empty where there is none. */
export const percent = (share: number | undefined) => (share === undefined ? "" : `${Math.round(100 * share)} %`);
