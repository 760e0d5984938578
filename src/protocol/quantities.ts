// How measured quantities are written, in the engine's sentences and on the page: one way for each quantity, so
// that two numbers of it can be compared at a glance wherever they stand.

const MINUS = "\u2212";
const DECIMALS = 3;

/** A number as text with a true minus sign. */
export function signed(text: string): string {
  return text.replace(/-/g, MINUS);
}

/** A text with its first letter large, as a sentence or a title begins. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** "1 step", "1200 steps"; a number may come as it is written, as "1.0 points". */
export function counted(count: number | string, what: string): string {
  return `${count} ${what}${String(count) === "1" ? "" : "s"}`;
}

/** "–" for what is not known, "∞" for what has no end; null for any other number. */
export function unusualText(value: number): string | null {
  if (Number.isNaN(value)) return "–";
  return Number.isFinite(value) ? null : value > 0 ? "∞" : `${MINUS}∞`;
}

/** A number without the last digits that only the order of a sum decides: one mean, added up in two ways, is one number. */
export function settled(value: number): number {
  return Number(value.toPrecision(12));
}

/**
 * A reward, an advantage, a log-prob, a KL, an entropy, a loss or a norm: three decimals, whole numbers plain,
 * and a power of ten where three decimals would leave nothing: 0.050, −1.208, 1, 1.2e−4.
 */
export function measureText(value: number): string {
  return measureWith(value, DECIMALS);
}

/**
 * The same with more decimals, where a sum is to be done again by hand. A function of its own, so that a list can be mapped to texts
 * without its places being taken for decimals.
 */
export function measureWith(value: number, decimals = DECIMALS): string {
  const unusual = unusualText(value);
  if (unusual !== null) return unusual;
  if (Number.isInteger(value)) return signed(String(value));
  if (Math.abs(value) < 10 ** -decimals) return signed(value.toExponential(1).replace(".0e", "e"));
  // More decimals are for what they add, not for zeros.
  return signed(
    settled(value)
      .toFixed(decimals)
      .replace(/(\.\d{3}\d*?)0+$/, "$1"),
  );
}

/** A measure with an explicit plus above 0, for advantages and changes. */
export function signedMeasureText(value: number): string {
  return signedMeasureWith(value, DECIMALS);
}

/** The same with more decimals. */
export function signedMeasureWith(value: number, decimals = DECIMALS): string {
  return value > 0 ? `+${measureWith(value, decimals)}` : measureWith(value, decimals);
}

/**
 * A share in [0, 1] in whole percent; below 1 and above 99 with one decimal, since rare is not never and nearly all is not
 * all, and as a bound where that decimal would say never or all.
 */
export function shareText(share: number): string {
  if (Number.isNaN(share)) return "–";
  const percent = settled(share * 100);
  const isWhole = percent === 0 || percent === 100 || (Math.abs(percent) >= 0.95 && percent < 99.05);
  const text = percent.toFixed(isWhole ? 0 : 1);
  if (text === "100.0") return "> 99.9 %";
  return Number(text) === 0 && percent !== 0 ? "< 0.1 %" : `${signed(text)} %`;
}

/** A difference of shares in points of a percent, with so many decimals: "−8", "27.2". */
export function pointsWith(share: number, decimals: number): string {
  return signed((100 * share).toFixed(decimals).replace(/^-(0(?:\.0+)?)$/, "$1"));
}

const tenthsOf = (share: number) => Math.round(1000 * share);
const tenthText = (share: number) => (tenthsOf(share) % 1000 === 0 ? shareText(share) : `${(tenthsOf(share) / 10).toFixed(1)} %`);

/**
 * Two shares and the points of a percent between them, as the written shares have them: whole where whole percents come to the
 * difference, and to a tenth where not, or where fewer than two points lie between. Beside 53 % and 81 %, 27 would be wrong.
 */
export function sharesApart(from: number, to: number): { readonly from: string; readonly to: string; readonly points: number } {
  const points = (tenthsOf(to) - tenthsOf(from)) / 10;
  const whole = Number.parseFloat(shareText(to)) - Number.parseFloat(shareText(from));
  const isWhole = Math.abs(points) >= 2 && whole === Math.round(100 * (to - from));
  return isWhole ? { from: shareText(from), to: shareText(to), points: whole } : { from: tenthText(from), to: tenthText(to), points };
}

/** Most decimals of a percentage that tell two shares apart. */
const MOST_APART = 3;

/** A share in percent with so many decimals, and as a bound where they would say never or all of what is neither. */
function shareWith(share: number, decimals: number): string {
  if (Number.isNaN(share)) return "–";
  const text = settled(share * 100).toFixed(decimals);
  const least = 10 ** -decimals;
  if (Number(text) === 0 && share > 0) return `< ${least} %`;
  return Number(text) === 100 && share < 1 ? `> ${(100 - least).toFixed(decimals)} %` : `${text} %`;
}

/**
 * Shares that stand beside each other, with as many decimals as tell them apart: 3.2 % and 2.8 %, where 3 % and 3 %
 * would say no change.
 */
export function sharesBeside(shares: readonly number[]): readonly string[] {
  const differ = new Set(shares.map((share) => shareWith(share, MOST_APART))).size;
  let texts = shares.map(shareText);
  for (let decimals = 1; decimals <= MOST_APART && new Set(texts).size < differ; decimals++)
    texts = shares.map((share) => shareWith(share, decimals));
  return texts;
}

/** What a share has done, as a sentence begins: "From 3.2 % to 2.8 %". */
export function shareMoved(from: number, to: number): string {
  const [before, after] = sharesBeside([from, to]);
  return before === after ? `It stays at ${before}` : `From ${before} to ${after}`;
}

/** An amount with as many digits as are worth reading: six, and none that say nothing. */
export function exactText(value: number): string {
  const unusual = unusualText(value);
  if (unusual !== null) return unusual;
  const size = Math.abs(value);
  const isOdd = size !== 0 && (size < 1e-3 || size >= 1e6);
  return signed(isOdd ? trimExponent(value.toExponential(4)) : String(Number(value.toPrecision(6))));
}

/** A power of ten without zeros and signs that say nothing. */
export function trimExponent(text: string): string {
  return text.replace(/\.?0+e/, "e").replace("e+", "e");
}

/** A value that is proposed for a setting: so many digits that count, as people give one. */
export function roundedSetting(value: number, digits = 2): number {
  return Number(value.toPrecision(digits));
}

/** The number of a setting as people type it, whole: "1e-3", "0.25", "512". */
export function settingNumber(value: number): string {
  return value !== 0 && Math.abs(value) < 0.01 ? value.toExponential() : String(value);
}
