// Code that was written for another lab often takes the answer and the question one after another. It gets one object as its first
// argument, and earns 0 without a word.

/** What a reward's function is called with. */
export const REWARD_CALL = "reward({ text, question, answer, messages, stopReason }, { options, random })";

/** What such functions are usually handed first elsewhere, as plain texts. */
const TEXTS = new Set(["text", "answer", "response", "completion", "output", "prompt", "question", "generation", "reply", "solution"]);
const HANDED = "(?:text|question|answer|messages|stopReason)";
/** The parameters of an exported function, as far as they are plain names. */
const FUNCTION =
  /export\s+(?:default\s+)?(?:(?:async\s+)?function\s*\w*\s*|const\s+\w+\s*(?::[^=]+)?=\s*(?:async\s*)?)\(\s*([A-Za-z_$][\w$]*)\s*(?::[^,){]+)?\s*(?:=[^,)]*)?\s*([,)])/;

/** What is wrong with the code of a reward that seems to take its arguments one after another, as a sentence; null where it does not. */
export function positionalReward(source: string): string | null {
  const [, first, next] = FUNCTION.exec(source) ?? [];
  if (first === undefined || !TEXTS.has(first)) return null;
  // Whatever it is called, code that takes the conversation apart by itself knows what it is handed.
  const isTakenApart = new RegExp(`\\b${first}\\s*\\??\\.\\s*${HANDED}\\b|\\}\\s*=\\s*${first}\\b|\\b${first}\\s*\\[`).test(source);
  if (isTakenApart) return null;
  const written = next === "," ? `${first}, …` : first;
  return `A reward is called with one object, not with texts one after another: write reward({ ${first === "answer" ? "answer" : "text"} }) in the place of reward(${written}). It is handed ${REWARD_CALL.slice("reward".length)}.`;
}
