// The registry of tasks: one line each.
import { boxedArithmetic } from "./boxedArithmetic.ts";
import { checkedArithmetic } from "./checkedArithmetic.ts";
import { countLetters } from "./classic/countLetters.ts";
import { greatestCommonDivisor } from "./classic/gcd.ts";
import { repeatNames } from "./classic/repeatNames.ts";
import { reverseWord } from "./classic/reverseWord.ts";
import { sortNumbers } from "./classic/sortNumbers.ts";
import { digitSum } from "./digitSum.ts";
import { countdown } from "./games/countdown.ts";
import { gridWorld } from "./games/gridWorld.ts";
import { guessNumber } from "./games/guessNumber.ts";
import { guessWord } from "./games/guessWord.ts";
import { ticTacToe } from "./games/ticTacToe.ts";
import { prompts } from "./prompts/prompts.ts";
import { questionAnswering } from "./questionAnswering.ts";
import type { Task } from "./task.ts";
import { calculator } from "./tools/calculator.ts";
import { routing } from "./tools/router.ts";
import { multiHopSearch } from "./tools/search.ts";

/** Every task. */
export const tasks: readonly Task[] = [
  digitSum,
  boxedArithmetic,
  repeatNames,
  reverseWord,
  sortNumbers,
  countLetters,
  greatestCommonDivisor,
  questionAnswering,
  calculator,
  multiHopSearch,
  routing,
  guessNumber,
  gridWorld,
  guessWord,
  countdown,
  ticTacToe,
  checkedArithmetic,
  prompts,
];
