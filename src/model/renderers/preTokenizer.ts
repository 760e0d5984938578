// What a text goes through before byte pairs are merged, as the library `tokenizers` does it: normalised, then split into
// pieces whose bytes are spelled as characters. A part of tokenizer.json that is not read here is refused by name.
import { isRecord, showValue } from "../../protocol/problems.ts";
import { compilePattern, patternFor } from "./pattern.ts";

const refuse = (what: string): never => {
  throw new Error(`tokenizer.json: ${what}`);
};

/** What becomes of the pieces that match (tokenizers, SplitDelimiterBehavior). */
const BEHAVIOURS = ["Isolated", "Removed", "Contiguous", "MergedWithPrevious", "MergedWithNext"] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** A text as what matches and what lies between. */
function piecesOf(text: string, pattern: RegExp, invert: boolean): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: match, index } of text.matchAll(pattern)) {
    if (index > from) pieces.push({ text: text.slice(from, index), isMatch: invert });
    pieces.push({ text: match, isMatch: !invert });
    from = index + match.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isMatch: invert });
  return pieces;
}

function split(text: string, pattern: RegExp, behaviour: Behaviour, invert = false): readonly string[] {
  const pieces = piecesOf(text, pattern, invert);
  if (behaviour === "Isolated") return pieces.map((piece) => piece.text);
  if (behaviour === "Removed") return pieces.filter(({ isMatch }) => !isMatch).map((piece) => piece.text);
  const isBackwards = behaviour === "MergedWithNext";
  const joined: string[] = [];
  let wasMatch = false;
  for (const piece of isBackwards ? pieces.toReversed() : pieces) {
    const joins = behaviour === "Contiguous" ? piece.isMatch === wasMatch : piece.isMatch && !wasMatch;
    const last = joins ? joined.pop() : undefined;
    joined.push(last === undefined ? piece.text : isBackwards ? piece.text + last : last + piece.text);
    wasMatch = piece.isMatch;
  }
  return isBackwards ? joined.toReversed() : joined;
}

type Step = (piece: string) => readonly string[];
type Settings = Readonly<Record<string, unknown>>;

function patternOf({ pattern }: Settings): (text: string) => RegExp {
  if (isRecord(pattern) && typeof pattern.Regex === "string") return patternFor(pattern.Regex);
  if (isRecord(pattern) && typeof pattern.String === "string") {
    const literally = Array.from(pattern.String, (char) => `\\x{${char.codePointAt(0)?.toString(16)}}`).join("");
    const exactly = literally === "" ? /(?!)/g : compilePattern(literally);
    return () => exactly;
  }
  return refuse(`a pattern must have a Regex or a String, got ${showValue(pattern)}`);
}

function behaviourOf(given: unknown): Behaviour {
  return BEHAVIOURS.find((each) => each === given) ?? refuse(`behavior must be one of ${BEHAVIOURS.join(", ")}, got ${showValue(given)}`);
}

const GPT2 = compilePattern("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+");
const NUMBER = /\p{N}/gu;
const PUNCTUATION = /[\p{P}$+<=>^`|~]/gu;
const SPACE = /\p{White_Space}/gu;
const WORDS = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\p{White_Space}]+/gu;

const encoder = new TextEncoder();

/** @param spell spells the bytes of a piece */
function stepOf(settings: unknown, spell: (bytes: Uint8Array) => string): Step {
  if (!isRecord(settings)) return refuse(`pre_tokenizer must be an object, got ${showValue(settings)}`);
  const { type } = settings;
  switch (type) {
    case "Sequence": {
      const steps = stepsIn(settings.pretokenizers).map((each) => stepOf(each, spell));
      return (text) => steps.reduce<readonly string[]>((pieces, step) => pieces.flatMap(step).filter((piece) => piece !== ""), [text]);
    }
    case "Split": {
      const pattern = patternOf(settings);
      const behaviour = behaviourOf(settings.behavior);
      const invert = settings.invert === true;
      return (text) => split(text, pattern(text), behaviour, invert);
    }
    case "Digits":
      return (text) => split(text, NUMBER, settings.individual_digits === true ? "Isolated" : "Contiguous");
    case "Punctuation": {
      const behaviour = behaviourOf(settings.behavior ?? "Isolated");
      return (text) => split(text, PUNCTUATION, behaviour);
    }
    case "Whitespace":
      return (text) => split(text, WORDS, "Removed", true);
    case "WhitespaceSplit":
      return (text) => split(text, SPACE, "Removed");
    case "ByteLevel":
      return (text) => {
        const begun = settings.add_prefix_space === true && !text.startsWith(" ") ? ` ${text}` : text;
        const pieces = settings.use_regex === false ? [begun] : split(begun, GPT2, "Isolated");
        return pieces.map((piece) => spell(encoder.encode(piece)));
      };
    default:
      return refuse(`the pre-tokenizer ${showValue(type)} is not read here`);
  }
}

const stepsIn = (given: unknown): readonly unknown[] =>
  Array.isArray(given) ? given : refuse(`a Sequence must have a list, got ${showValue(given)}`);

/** How often bytes are spelled on the way. */
function spellings(settings: unknown): number {
  if (!isRecord(settings)) return 0;
  if (settings.type !== "Sequence") return settings.type === "ByteLevel" ? 1 : 0;
  return stepsIn(settings.pretokenizers).reduce<number>((sum, each) => sum + spellings(each), 0);
}

const FORMS = ["NFC", "NFD", "NFKC", "NFKD"] as const;

/** A normaliser may make a text somewhat longer, as NFKD does by up to eighteen times. */
function checkGrowth(length: number, text: string): void {
  const most = 1024 + 32 * text.length;
  if (length > most) refuse(`a normalizer must make at most ${most} signs of ${text.length}, got ${length}`);
}

function normalizerOf(settings: unknown): (text: string) => string {
  if (settings === null || settings === undefined) return (text) => text;
  if (!isRecord(settings)) return refuse(`normalizer must be an object, got ${showValue(settings)}`);
  const { type } = settings;
  const form = FORMS.find((each) => each === type);
  if (form) return (text) => text.normalize(form);
  switch (type) {
    case "Sequence": {
      const steps = stepsIn(settings.normalizers).map(normalizerOf);
      return (text) =>
        steps.reduce((each, step) => {
          const made = step(each);
          checkGrowth(made.length, text);
          return made;
        }, text);
    }
    case "Lowercase":
      // Letter by letter: a sigma at a word's end is like any other.
      return (text) => Array.from(text, (char) => char.toLowerCase()).join("");
    case "Prepend":
      checkGrowth(String(settings.prepend).length, "");
      return (text) => (text === "" ? text : `${settings.prepend}${text}`);
    case "Replace": {
      const pattern = patternOf(settings);
      const content = String(settings.content);
      return (text) => {
        let made = 0;
        return text.replace(pattern(text), () => {
          made += content.length;
          checkGrowth(made, text);
          return content;
        });
      };
    }
    default:
      return refuse(`the normalizer ${showValue(type)} is not read here`);
  }
}

/** The pieces of a text by the parts of tokenizer.json, their bytes spelled. Throws a sentence where a part is not read here. */
export function piecesBy(file: Settings, spell: (bytes: Uint8Array) => string): (text: string) => readonly string[] {
  if (spellings(file.pre_tokenizer) !== 1)
    return refuse("pre_tokenizer must have one ByteLevel: other tokenizers than byte-level BPE are not read here");
  const normalize = normalizerOf(file.normalizer);
  const step = stepOf(file.pre_tokenizer, spell);
  return (text) => (text === "" ? [] : step(normalize(text)).filter((piece) => piece !== ""));
}
