// What somebody might send as a reward to harm a page, a run or its numbers: each a sentence and a module. Of most no call
// may give a verdict; of some any verdict is as good as another, as long as it is one and nobody else's code is touched.

export interface HostileCode {
  readonly does: string;
  readonly source: string;
  /** "none": no call has a verdict. "any": verdicts are numbers, null or reasons. */
  readonly verdict: "none" | "any";
}

const body = (does: string, code: string, verdict: HostileCode["verdict"] = "none"): HostileCode => ({
  does,
  source: `export function reward(judged, given) {\n${code}\n}`,
  verdict,
});
const top = (does: string, code: string, verdict: HostileCode["verdict"] = "none"): HostileCode => ({
  does: `${does}, as it is loaded`,
  source: `${code}\nexport function reward() { return 1 }`,
  verdict,
});

const LOOPS = [
  ["loops for ever", "for (;;) {}"],
  ["loops with while", "while (true) {}"],
  ["loops with do", "do {} while (true)"],
  ["counts without an end", "let i = 0; while (i >= 0) i += 1;"],
  ["calls itself without an end", "const f = () => f() + 1; f();"],
  ["calls itself over a friend", "const f = () => g(); const g = () => f() + 1; f();"],
  ["spreads an endless generator", "function* g() { for (;;) yield 1 } [...g()];"],
  ["walks an endless iterator", "for (const _ of { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }) {}"],
  ["sorts by a comparator that loops", "[3, 1, 2].sort(() => { for (;;) {} });"],
  ["turns itself into a text for ever", "String({ toString() { for (;;) {} } });"],
  ["turns itself into a number for ever", "+{ valueOf() { for (;;) {} } };"],
  ["writes itself as JSON for ever", "JSON.stringify({ toJSON() { for (;;) {} } });"],
  ["replaces by a function that loops", "'abc'.replace(/b/, () => { for (;;) {} });"],
  ["reads through a trap that loops", "new Proxy({}, { get() { for (;;) {} } }).x;"],
  ["catches its own end and goes on", "for (;;) { try { for (;;) {} } catch {} }"],
  ["goes on in finally", "try { for (;;) {} } finally { for (;;) {} }"],
  ["evaluates text that loops", "eval('for (;;) {}');"],
  ["makes a function that loops", "new Function('for (;;) {}')();"],
  ["awaits its own turn for ever", "const f = () => { Promise.resolve().then(f); for (;;) {} }; f();"],
  ["joins a list that holds a loop", "[{ toString() { for (;;) {} } }].join();"],
] as const;

const PATTERNS = [
  "^(a+)+$",
  "^(a|aa)+$",
  "^(a*)*$",
  "(a+)+b",
  "^((a+)+)+$",
  "^(a|a?)+$",
  "^([a-z]+)*$",
  "(.*)*x",
  "^(a{1,9}){1,99}b$",
  "(a?){40}a{40}b",
];

const BOMBS = [
  ["fills a list", "const all = []; for (;;) all.push(all.length);"],
  ["fills a list with texts", "const all = []; for (;;) all.push('x'.repeat(9999) + all.length);"],
  ["doubles a text", "let text = 'x'; for (;;) text += text;"],
  ["doubles a list", "let all = [1]; for (;;) all = [...all, ...all];"],
  ["fills a map", "const all = new Map(); for (let i = 0; ; i++) all.set(i, { i });"],
  ["makes huge buffers", "const all = []; for (;;) all.push(new Uint8Array(8e6));"],
  ["asks for a buffer of gigabytes", "return new ArrayBuffer(2 ** 33).byteLength;"],
  ["asks for a list of billions", "return new Array(2 ** 32 - 1).fill(0).length;"],
  ["repeats a text to gigabytes", "return 'x'.repeat(2 ** 30).length;"],
  ["pads a text to gigabytes", "return 'x'.padEnd(2 ** 31 - 2).length;"],
  ["raises a number to gigabytes", "return Number(2n ** (2n ** 40n));"],
  ["nests JSON a million deep", "JSON.parse('['.repeat(1e6));"],
  ["chains closures", "let f = () => 0; for (;;) { const g = f; f = () => g(); }"],
  ["makes symbols without an end", "const all = []; for (;;) all.push(Symbol(String(all.length)));"],
] as const;

const ABSENT = [
  ...[
    "fetch('https://example.org')",
    "new XMLHttpRequest()",
    "new WebSocket('wss://example.org')",
    "importScripts('https://example.org/x.js')",
  ],
  ...[
    "navigator.sendBeacon('/x')",
    "new EventSource('/x')",
    "new RTCPeerConnection()",
    "require('node:fs')",
    "process.exit(1)",
    "process.env.HOME",
  ],
  ...["Deno.readTextFileSync('/etc/passwd')", "Bun.file('/etc/passwd')", "new WebAssembly.Module(new Uint8Array(8))", "module.exports.x"],
  ...[
    "indexedDB.open('runs')",
    "localStorage.setItem('a', 'b')",
    "sessionStorage.a",
    "caches.open('x')",
    "cookieStore.get('x')",
    "document.cookie",
  ],
  ...["navigator.storage.getDirectory()", "window.localStorage", "location.href", "history.back()", "window.parent.postMessage('x')"],
  ...[
    "postMessage('x')",
    "self.postMessage('x')",
    "parent.postMessage('x')",
    "close()",
    "self.close()",
    "new Worker('x.js')",
    "new SharedWorker('x.js')",
  ],
  ...[
    "new MessageChannel()",
    "new BroadcastChannel('x')",
    "onmessage({ data: 1 })",
    "addEventListener('message', () => {})",
    "opener.focus()",
  ],
  ...[
    "new SharedArrayBuffer(8)",
    "Atomics.wait(new Int32Array(1), 0, 0)",
    "structuredClone({})",
    "crypto.getRandomValues(new Uint8Array(1))",
    "crypto.subtle",
  ],
  ...[
    "Date.now()",
    "new Date().getTime()",
    "performance.now()",
    "setTimeout(() => {}, 0)",
    "setInterval(() => {}, 0)",
    "setImmediate(() => {})",
  ],
  ...[
    "requestAnimationFrame(() => {})",
    "queueMicrotask(() => {})",
    "Intl.DateTimeFormat()",
    "Math.random()",
    "new Worklet()",
    "scheduler.postTask(() => {})",
  ],
];

const WAYS: readonly (readonly [string, (code: string) => string])[] = [
  ["by its name", (code) => `return ${code};`],
  ["over the global object", (code) => `return (0, eval)(${JSON.stringify(code)});`],
  ["over a function's maker", (code) => `return ({}).constructor.constructor(${JSON.stringify(`return ${code}`)})();`],
  ["over an asynchronous function's maker", (code) => `return (async () => {}).constructor(${JSON.stringify(`return ${code}`)})();`],
  ["over a generator's maker", (code) => `return [...(function* () {}).constructor(${JSON.stringify(`yield ${code}`)})()];`],
];

const TRICKS = [
  ["replaces JSON.parse", "JSON.parse = () => ({ text: 'x' });"],
  ["replaces JSON.stringify", "JSON.stringify = () => 'x';"],
  ["replaces Array.prototype.map", "Array.prototype.map = () => { throw 1 };"],
  ["replaces Array.prototype.push", "Array.prototype.push = function () { return 1e9 };"],
  ["puts a getter on Object.prototype", "Object.defineProperty(Object.prototype, 'text', { get() { throw 1 }, set() {} });"],
  ["puts a setter on Object.prototype", "Object.defineProperty(Object.prototype, 'reason', { set() { throw 1 } });"],
  ["writes on Object.prototype", "Object.prototype.polluted = 1;"],
  ["writes over __proto__", "({}).__proto__.polluted = 1; ({}).constructor.prototype.more = 1;"],
  ["replaces Function.prototype.call", "Function.prototype.call = Function.prototype.apply = () => 7;"],
  ["replaces Symbol.iterator", "Array.prototype[Symbol.iterator] = function* () { for (;;) yield 0 };"],
  ["replaces Promise.prototype.then", "Promise.prototype.then = () => { throw 1 };"],
  ["replaces String.prototype.split", "String.prototype.split = () => { throw 1 };"],
  ["replaces RegExp.prototype.exec", "RegExp.prototype.exec = () => { throw 1 };"],
  ["replaces String", "globalThis.String = () => { throw 1 };"],
  ["freezes what there is", "Object.freeze(Object.prototype); Object.freeze(Array.prototype); Object.freeze(globalThis);"],
  ["deletes what there is", "for (const name of Object.getOwnPropertyNames(globalThis)) try { delete globalThis[name] } catch {}"],
  ["changes the generator it is handed", "if (typeof given === 'object') { given.random.uniform = () => 7; given.options = null; }"],
  ["changes the conversation it is handed", "if (typeof judged === 'object') { judged.messages.length = 0; judged.text = 'x'; }"],
  [
    "replaces Error.prototype.toString",
    "Error.prototype.toString = () => { for (;;) {} }; Object.defineProperty(Error.prototype, 'name', { get() { throw 1 } });",
  ],
  ["replaces Math", "Math.floor = Math.exp = () => NaN; globalThis.Math = null;"],
] as const;

const THROWN = [
  ...[
    "null",
    "undefined",
    "7",
    "'x'.repeat(1e6)",
    "Symbol('x')",
    "{}",
    "[]",
    "() => {}",
    "10n",
    "Object.create(null)",
    "new Proxy({}, { get() { throw 1 } })",
  ],
  ...[
    "{ get message() { throw 1 } }",
    "{ get message() { for (;;) {} } }",
    "{ message: { toString() { for (;;) {} } } }",
    "{ get name() { return 'x'.repeat(1e6) } }",
  ],
  ...[
    "Object.assign(new Error('x'), { stack: null })",
    "Object.defineProperty(new Error('x'), 'stack', { get() { throw 1 } })",
    "new Error('x'.repeat(1e6))",
  ],
  ...["new RangeError('|||')", "new (class extends Error { get message() { throw this } })()"],
];

const RETURNED = [
  ...[
    "undefined",
    "'1'",
    "'x'.repeat(1e6)",
    "true",
    "{}",
    "[]",
    "[1]",
    "{ valueOf: () => 1 }",
    "10n",
    "Symbol('x')",
    "() => 1",
    "Promise.resolve(1)",
    "new Number(1)",
  ],
  ...[
    "NaN",
    "Infinity",
    "-Infinity",
    "1e308",
    "-1e308",
    "0 / 0",
    "new Proxy({}, {})",
    "{ reason: 'x' }",
    "{ get reason() { throw 1 } }",
    "globalThis",
    "/x/",
    "new Map()",
    "judged",
  ],
];

const UNREADABLE = [
  ["is no code", "}{"],
  ["never closes a text", "export function reward() { return 'x }"],
  ["exports nothing", "function reward() { return 1 }"],
  ["exports a number", "export const reward = 1;"],
  ["exports two others", "export const a = () => 1; export const b = () => 1;"],
  ["imports a module", "import x from 'x'; export const reward = () => x;"],
  ["imports from the network", "import x from 'https://example.org/x.js'; export const reward = () => x;"],
  ["imports a file", "import { readFileSync } from 'node:fs'; export const reward = () => readFileSync('/etc/passwd').length;"],
  ["throws as it is loaded", "throw new Error('x'); export const reward = () => 1;"],
  ["waits as it is loaded", "await new Promise(() => {}); export const reward = () => 1;"],
  ["is nothing but a mark", "\\uFEFF\\u0000"],
  ["nests brackets without an end", `export const reward = () => ${"(".repeat(20_000)}1`],
  ["is a comment", "// export function reward() {}"],
  ["is a page", "<script>export function reward() { return 1 }</script>"],
] as const;

/** Where code is put so that it runs behind somebody's back. */
const PLACES: readonly (readonly [string, (code: string) => string])[] = [
  ["in a getter", (code) => `return ({ get x() { ${code} } }).x;`],
  ["in a trap", (code) => `return new Proxy({}, { get() { ${code} } }).x;`],
  ["in a comparator", (code) => `return [2, 1].sort(() => { ${code} })[0].x;`],
  ["in a replacement", (code) => `return "a".replace("a", () => { ${code} }).x;`],
  ["in toJSON", (code) => `return JSON.stringify({ toJSON() { ${code} } });`],
  ["in a static block", (code) => `return class { static { (() => { ${code} })(); } }.x;`],
  ["in a default value", (code) => `return ((x = (() => { ${code} })()) => x?.x)();`],
];

const hidden = (does: string, code: string): readonly HostileCode[] => PLACES.map(([place, put]) => body(`${does}, ${place}`, put(code)));

/** What fills the memory, which takes longest. */
export function memoryBombs(): readonly HostileCode[] {
  return BOMBS.flatMap(([does, code]) => [body(does, code), top(does, code)]);
}

/** All the others. */
export function hostileCode(): readonly HostileCode[] {
  return [
    ...LOOPS.flatMap(([does, code]) => [body(does, code), top(does, code)]),
    ...PATTERNS.map((pattern) => body(`matches ${pattern}`, `return /${pattern}/.test("a".repeat(40) + "!") ? 1 : 0;`, "any")),
    ...ABSENT.flatMap((code) => WAYS.map(([way, write]) => body(`${code}, ${way}`, write(code)))),
    ...ABSENT.map((code) => top(code, `${code};`)),
    ...TRICKS.flatMap(([does, code]) => [
      top(does, `try { ${code} } catch {}`, "any"),
      body(does, `try { ${code} } catch {}\nreturn 1;`, "any"),
      top(`${does} and throws`, `try { ${code} } catch {}\nthrow new Error("x");`),
      body(`${does} and throws`, `try { ${code} } catch {}\nthrow new Error("x");`),
    ]),
    ...THROWN.flatMap((value) => [body(`throws ${value}`, `throw (${value});`), top(`throws ${value}`, `throw (${value});`)]),
    ...RETURNED.map((value) => body(`returns ${value}`, `return (${value});`)),
    ...RETURNED.map((value) => body(`returns ${value} later`, `return (async () => (${value}))();`)),
    ...UNREADABLE.map(([does, source]) => ({ does, source, verdict: "none" as const })),
    ...LOOPS.flatMap(([does, code]) => hidden(does, code)),
    ...THROWN.flatMap((value) => hidden(`throws ${value}`, `throw (${value});`)),
    ...RETURNED.flatMap((value) => hidden(`throws what is no error, ${value}`, `throw (${value});`)),
    ...PATTERNS.flatMap((pattern) => hidden(`matches ${pattern}`, `/${pattern}/.test("a".repeat(40) + "!");`)),
  ];
}
