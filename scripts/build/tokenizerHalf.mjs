// Only the tokenizer half of the transformers package is used, and of that its build for browsers, since the one
// for Node loads a library of images. What stands in for its inference runtime has the runtime's types and errors.
import { join } from "node:path";
import { projectRoot } from "../environment.mjs";

/** Replacements for a bundle that runs in Node too. */
export const tokenizerHalf = [
  { find: /^onnxruntime-(web|node)(\/.*)?$/, replacement: "onnxruntime-common" },
  { find: /^@xenova\/transformers$/, replacement: join(projectRoot, "node_modules/@xenova/transformers/dist/transformers.web.js") },
];
