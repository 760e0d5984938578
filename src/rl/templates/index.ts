// All templates, in the order in which somebody meets them.
import { askCalculator } from "./askCalculator.ts";
import { avoidLetter } from "./avoidLetter.ts";
import { digitCredit } from "./digitCredit.ts";
import { guessByHints } from "./guessByHints.ts";
import { haiku } from "./haiku.ts";
import { jsonSchema } from "./jsonSchema.ts";
import { rhyme } from "./rhyme.ts";
import { shop } from "./shop.ts";
import type { Template } from "./template.ts";
import { wordGame } from "./wordGame.ts";

export const templates: readonly Template[] = [
  rhyme,
  avoidLetter,
  digitCredit,
  wordGame,
  guessByHints,
  askCalculator,
  shop,
  haiku,
  jsonSchema,
];
