// A secret number from 1 to 9, guessed by hints: three turns, and the sooner the better.

interface Problem {
  question: string;
  answer: string;
}

// Makes a problem: what the model is asked, and the answer that only this code sees. The round only tells problems apart.
export function draw({ random }: { random: { below(count: number): number } }): Problem {
  const secret = random.below(9) + 1;
  return { question: `Guess my number from 1 to 9. Round ${random.below(500)}.`, answer: String(secret) };
}

// Answers a turn of the model: `text` is what it said, `turn` counts from 0.
export function step({ text, problem, turn }: { text: string; problem: Problem; turn: number }) {
  const guess = Number(/\d+/.exec(text)?.[0]);
  const secret = Number(problem.answer);
  if (!Number.isFinite(guess)) return { done: true, reward: 0, success: false };
  if (guess === secret) return { done: true, reward: 1 - turn * 0.2, success: true };
  return { say: guess < secret ? "higher" : "lower", reward: 0 };
}
