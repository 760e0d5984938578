// Trains the shipped tokenizer and writes public/tokenizers/lab. Run: npm run build:tokenizer
import { mkdirSync, writeFileSync } from "node:fs";
import { learnMerges } from "./bytePairs.ts";
import { tokenizerCorpus } from "./corpus.ts";
import { MERGE_COUNT, tokenizerConfig, tokenizerJson } from "./files.ts";

const folder = "public/tokenizers/lab";
const texts = tokenizerCorpus(0);
const merges = learnMerges(texts, MERGE_COUNT);
if (merges.length < MERGE_COUNT) throw new Error(`the text yields only ${merges.length} of ${MERGE_COUNT} merges`);
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/tokenizer.json`, `${JSON.stringify(tokenizerJson(merges), null, 1)}\n`);
writeFileSync(`${folder}/tokenizer_config.json`, `${JSON.stringify(tokenizerConfig(), null, 1)}\n`);
console.log(`${folder}: ${merges.length} merges from ${texts.length} texts`);
