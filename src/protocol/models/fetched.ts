// What a network sends in a file's place. One that wants people to sign in first answers every address with a page of its own and calls
// that a success, and servers of pages do so for addresses that they do not know. No such answer may be kept under a file's name.
import { errorText, parsedJson } from "../problems.ts";

/** An answer, as far as it is read here. */
interface Answer {
  readonly headers: { get(name: string): string | null };
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Whether an answer says that it is a page, which no file of a model, a data set or a tokenizer is. */
export const isPage = ({ headers }: Pick<Answer, "headers">): boolean =>
  /^\s*(text\/html|application\/xhtml)/i.test(headers.get("content-type") ?? "");

/** Whether a file's first bytes are a page's, whatever it is called. */
export const beginsAsPage = (bytes: Uint8Array): boolean =>
  /^\s*<(!doctype|!--|\?xml|html|head|body|meta|script)/i.test(new TextDecoder().decode(bytes.subarray(0, 256)));

/** What to say then. */
export const pageInstead = (what: string): string =>
  `${what} did not come: a page came in its place, as networks send one that want people to sign in first`;

/** The bytes of a small file; one whose name ends in .json holds JSON. Throws a sentence where the answer is something else. */
export async function fetchedFile(name: string, answer: Answer): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (isPage(answer) || beginsAsPage(bytes)) throw new Error(pageInstead(name));
  if (!name.endsWith(".json")) return bytes;
  parsedJson(new TextDecoder().decode(bytes), (error) => new Error(`${name} did not come whole: it is not JSON (${errorText(error)})`));
  return bytes;
}
