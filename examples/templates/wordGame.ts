// A word game over several turns: the lab says a made-up name, the model answers with one that rhymes, the lab says that one,
// and so on. A name that was said before, or that does not rhyme, ends the game.

const CAPITALS = [..."BCDFHJKLPRSTVZ"];
const SYLLABLES = ["an", "ar", "as", "at", "ed", "er", "es", "il", "im", "in", "ir", "is", "it", "ol", "om", "on", "or", "um"];
const ROUNDS = 3;

interface Random {
  pick<T>(list: readonly T[]): T;
}

interface Turn {
  text: string;
  problem: { question: string };
  state: { said: string[] };
  turn: number;
}

// Makes a problem: what the model is asked first. `random` is the lab's, so that a seed gives the same problems again.
export function draw({ random }: { random: Random }) {
  return { question: `Repeat ${random.pick(CAPITALS)}${random.pick(SYLLABLES)}${random.pick(SYLLABLES)}.` };
}

// Opens a conversation. What it returns as `state` is handed on from turn to turn: here the names that were said.
export function start({ question }: { question: string }) {
  return { state: { said: [question.slice("Repeat ".length, -1)] } };
}

// Answers a turn of the model: `text` is what it said, `turn` counts from 0.
export function step({ text, state, turn }: Turn) {
  const name = text.replace(/<\/?answer>/g, "").trim();
  const before = state.said.at(-1) ?? "";
  // All but the first letter is the same: that is a rhyme here.
  const rhymes = /^[A-Z][a-z]+$/.test(name) && name.slice(1) === before.slice(1);
  // Nothing for what was said before: otherwise two names would be said in turns for ever.
  if (!rhymes || state.said.includes(name)) return { done: true, reward: 0, success: false };
  if (turn === ROUNDS - 1) return { done: true, reward: 1 / ROUNDS, success: true };
  return { say: `Repeat ${name}.`, reward: 1 / ROUNDS, state: { said: [...state.said, name] } };
}
