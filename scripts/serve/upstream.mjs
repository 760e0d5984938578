// A server that speaks the Tinker API, reached over HTTP. Address and key are known here alone, for the command line as for the page: the
// key goes into one header of each request, and is blotted out of whatever comes back, so that no sentence, log or save can hold it.

/** Where the key is looked for. */
export const KEY_VARIABLE = "TINKER_API_KEY";
/** Where the address is looked for when no option names it; the official client's. */
export const ADDRESS_VARIABLE = "TINKER_BASE_URL";

/**
 * @typedef {{ method: "GET" | "POST", path: string, body?: string | Uint8Array, type?: string, accept?: string, idempotencyKey?: string | undefined, signal: AbortSignal }} UpstreamRequest
 *   path: below /api/v1/
 * @typedef {{ status: number, type: string, bytes: Uint8Array }} UpstreamAnswer
 * @typedef {{ name: string, url: string, send: (request: UpstreamRequest) => Promise<UpstreamAnswer> }} Upstream name: what people call it; url: its address; neither has anything secret
 */

/**
 * The address of a server, without what would make it another one's: "/api/v1" and a slash at the end. Throws a sentence.
 * @param {string} text
 * @param {string} option what named it
 */
function addressOf(text, option) {
  if (!URL.canParse(text)) throw new Error(`${option} must be an address such as http://localhost:8000, got ${JSON.stringify(text)}`);
  const address = new URL(text);
  if (address.protocol !== "http:" && address.protocol !== "https:")
    throw new Error(`${option} must begin with http:// or https://, got ${address.protocol}//`);
  if (address.username !== "" || address.password !== "" || address.search !== "")
    throw new Error(`${option} must hold no name, password or query: the key belongs into ${KEY_VARIABLE}`);
  const path = address.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
  return `${address.origin}${path}`;
}

/** What the system's codes say. */
const REASONS = new Map([
  ["ECONNREFUSED", "nothing listens there"],
  ["ECONNRESET", "the connection broke off"],
  ["UND_ERR_SOCKET", "the connection broke off"],
  ["ENOTFOUND", "no machine has that name"],
  ["EAI_AGAIN", "its name cannot be looked up"],
  ["EHOSTUNREACH", "no way leads there"],
  ["ENETUNREACH", "no way leads there"],
  ["ETIMEDOUT", "it did not answer in time"],
  ["UND_ERR_CONNECT_TIMEOUT", "it did not answer in time"],
]);

/** Why a request came to nothing, where fetch itself says "fetch failed": in words and as the system says it. @param {unknown} error */
function reasonOf(error) {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const said = cause.message || cause.name;
  const code = "code" in cause ? String(cause.code) : "";
  const words = REASONS.get(code);
  return words === undefined ? said : `${words}: ${said || code}`;
}

/** A sign as texts write it: as it is, and escaped as in JSON, in HTML and in addresses. @param {string} sign */
function written(sign) {
  const code = sign.charCodeAt(0);
  const hex = code
    .toString(16)
    .padStart(2, "0")
    .replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const plain = /\w/.test(sign) ? sign : `\\\\?\\${sign}|&[a-z]+;`;
  return `(?:${plain}|\\\\u00${hex}|\\\\x${hex}|%(?:25)*${hex}|&#0*${code};|&#[xX]0*${hex};)`;
}

/** The base64 of bytes behind so many others, either alphabet, with the signs around it that they share with others. @param {Buffer} bytes @param {number} behind */
function base64Pattern(bytes, behind) {
  const all = Buffer.concat([Buffer.alloc(behind), bytes]);
  const whole = all.toString("base64").slice(Math.ceil((behind * 4) / 3), Math.floor((all.length * 4) / 3));
  const signs = [...whole].map((sign) => (sign === "+" ? `(?:${written("+")}|-)` : sign === "/" ? `(?:${written("/")}|_)` : sign));
  return `[\\w+/-]?${signs.join("")}[\\w+/-]?`;
}

/** So long a key is looked for in other forms as well; a shorter one's would be found everywhere. */
const LEAST_SIGNS = 6;

/** What a key is known by: as it is, escaped in whatever way servers write texts, in base64 and in hexadecimal digits. @param {string} key */
function patternOf(key) {
  const bytes = Buffer.from(key);
  const text = [...bytes.toString("latin1")].map(written).join("");
  if (bytes.length < LEAST_SIGNS) return new RegExp(text, "g");
  const hex = bytes.toString("hex").replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  return new RegExp([text, hex, ...[0, 1, 2].map((behind) => base64Pattern(bytes, behind))].join("|"), "g");
}

/** Covers a key with as many signs, so that no length in the bytes changes. @param {Buffer} bytes @param {string | undefined} key */
function blotted(bytes, key) {
  if (!key) return bytes;
  for (const { index, 0: found } of bytes.toString("latin1").matchAll(patternOf(key))) bytes.fill("*", index, index + found.length);
  return bytes;
}

/**
 * A connection to a server. Throws a sentence where the address is none.
 * @param {string} text its address
 * @param {string} option what named it
 * @param {string | undefined} givenKey of the environment; none where the server wants none
 * @returns {Upstream}
 */
export function openUpstream(text, option, givenKey) {
  const url = addressOf(text, option);
  // A header has no blanks around it, so what comes back has none either.
  const key = givenKey?.trim();
  /** @param {string} said */
  const told = (said) => blotted(Buffer.from(said), key).toString();
  return {
    name: url.replace(/^https?:\/\//, ""),
    url,
    async send({ method, path, body, type = "application/json", accept = "application/json", idempotencyKey, signal }) {
      try {
        const response = await fetch(`${url}/api/v1/${path}`, {
          method,
          // A key must not follow wherever a server points to.
          redirect: "error",
          headers: {
            accept,
            ...(body === undefined ? {} : { "content-type": type }),
            ...(key ? { "x-api-key": key } : {}),
            ...(idempotencyKey ? { "x-idempotency-key": idempotencyKey } : {}),
          },
          .../** @type {{ body?: string | Uint8Array<ArrayBuffer> }} */ (body === undefined ? {} : { body }),
          signal,
        });
        const bytes = blotted(Buffer.from(await response.arrayBuffer()), key);
        return { status: response.status, type: told(response.headers.get("content-type") ?? ""), bytes };
      } catch (error) {
        throw new Error(told(reasonOf(error)));
      }
    },
  };
}

/**
 * The server of an option or of the environment; null where neither names one. Throws a sentence where what they name is no address.
 * @param {string | undefined} text
 * @param {string} option
 */
export function upstreamOf(text, option) {
  const named = text ?? process.env[ADDRESS_VARIABLE];
  return named ? openUpstream(named, text === undefined ? ADDRESS_VARIABLE : option, process.env[KEY_VARIABLE]) : null;
}
