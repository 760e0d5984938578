// Requests to a Tinker server, and their results. What computes answers at once with the id of a request, whose result is
// asked for until it is there. What fails in passing (no answer, 408, 425, 429, 5xx) is tried again, further and further apart, for
// a minute from the first failure on. A question for a result is held until there is one, and whatever stands between may cut it
// sooner, as proxies do after a minute: it is asked anew then. A request that moves the model is dangerous to repeat:
// it carries the same idempotency key at each try, and where the server has not shown that it heeds that, a try whose
// answer was lost is reported as in doubt, never repeated. All is JSON until the server asks for bytes (415 to a
// request, 406 to the question for a result).
import type { EventBodies } from "../../protocol/messages.ts";
import { z } from "../../protocol/zod.ts";
import { detailOf, InDoubt, ModelForgotten, ServerAway, ServerRefused } from "./failures.ts";
import { decoders, encodedPass, isPass } from "./protobuf.ts";
import type { Clock, ModelServer, ServerAnswer, ServerRequest } from "./server.ts";

/** How long a server may stay away before the run pauses. */
const PATIENCE_MS = 60_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
/** After so long without an answer whoever watches is told. */
const NOTICE_MS = 3_000;
/** So often in a row a question for a result may be held and cut, without another sign of life, before that counts as being away. */
const MOST_CUT = 30;
/** Within this time a server says that it has a request, or how it is. */
const ANSWER_MS = 30_000;
/** So long a server may hold the question for a result; it answers 408 before. */
const RESULT_MS = 330_000;

const future = z.object({ request_id: z.string().min(1) });

/** Whether another try may succeed. */
const isPassing = (status: number): boolean => status === 408 || status === 425 || status === 429 || status >= 500;

/** Whether a status says that the request was not taken, so that there is no doubt. */
const isTurnedAway = (status: number): boolean => status === 425 || status === 429 || status === 503;

export interface CallOptions {
  /** The same for every try of one request. */
  readonly idempotencyKey?: string;
  /** It moves the model: where an answer is lost, nobody knows whether it did. */
  readonly moves?: boolean;
}

/** A connection to a server; owned state. */
export class ServerClient {
  readonly server: ModelServer;
  readonly clock: Clock;
  readonly patienceMs: number;
  /** Whether the server counts a second try of a request as the first; false until it has shown so. */
  countsOnce = false;
  /** Whether the server asked for protobuf where it knows that form. */
  #speaksBytes = false;
  /** Since when no request has come through; null while they do. */
  #awaySince: number | null = null;
  /** When the last answer came. */
  #heardAt = Number.NEGATIVE_INFINITY;
  /** Whether that was told. */
  #isTold = false;
  /** Told that the server is away for some time, and that it is back. */
  onNotice: ((notice: EventBodies["notice"]) => void) | null = null;

  constructor(server: ModelServer, clock: Clock, patienceMs = PATIENCE_MS) {
    this.server = server;
    this.clock = clock;
    this.patienceMs = patienceMs;
  }

  /** The answer to a request, read by a schema. */
  async call<T>(method: ServerRequest["method"], path: string, body: unknown, schema: z.ZodType<T>, options: CallOptions = {}): Promise<T> {
    return this.#read(path, await this.#ask(method, path, body, options), schema);
  }

  #ask(
    method: ServerRequest["method"],
    path: string,
    body: unknown,
    { idempotencyKey, moves = false }: CallOptions,
  ): Promise<ServerAnswer> {
    const given = { ...(body === undefined ? {} : { body }), ...(idempotencyKey ? { idempotencyKey } : {}) };
    return this.#answer({ method, path, timeoutMs: ANSWER_MS, ...given }, moves);
  }

  /** The result of a request that computes. */
  async compute<T>(path: string, body: object, schema: z.ZodType<T>, options: CallOptions = {}): Promise<T> {
    return this.result(path, await this.submit(path, body, options), schema, options.moves ?? false);
  }

  /** Hands a request in; its id. */
  async submit(path: string, body: object, options: CallOptions = {}): Promise<string> {
    // Both passes are one call where they are bytes.
    const isBytes = this.#speaksBytes && isPass(path);
    const [at, sent] = isBytes ? ["forward_backward", encodedPass(path, body)] : [path, body];
    const answer = await this.#ask("POST", at, sent, options);
    if (answer.status === 415 && !isBytes && isPass(path)) {
      this.#speaksBytes = true;
      return this.submit(path, body, options);
    }
    return this.#read(path, answer, future).request_id;
  }

  /** The result of a request that was handed in. Asking again is harmless. */
  async result<T>(path: string, requestId: string, schema: z.ZodType<T>, moves: boolean): Promise<T> {
    for (;;) {
      const takesBytes = this.#speaksBytes && decoders.has(schema);
      const question = { method: "POST", path: "retrieve_future", body: { request_id: requestId }, timeoutMs: RESULT_MS } as const;
      const answer = await this.#answer({ ...question, ...(takesBytes ? { takesBytes } : {}) }, false, true);
      if (isStillWorking(answer)) continue;
      if (answer.status === 406 && !takesBytes && decoders.has(schema)) {
        this.#speaksBytes = true;
        continue;
      }
      // What failed while it computed may have moved the model half way; a server that does not know the request has begun anew.
      if (answer.status >= 400 && answer.status !== 404 && moves) throw new InDoubt(`${path}: ${detailOf(answer)}`);
      return this.#read(path, answer, schema);
    }
  }

  #read<T>(path: string, answer: ServerAnswer, schema: z.ZodType<T>): T {
    if (answer.status === 401 || answer.status === 403)
      throw new ServerRefused(
        `the server ${this.server.name} refused the key (${detailOf(answer)}): set TINKER_API_KEY where the lab is started`,
      );
    if (answer.status === 404 || answer.status === 410) throw new ModelForgotten(`${path}: ${detailOf(answer)}`);
    if (answer.status >= 400) {
      // Servers say of a model that they lost what they say of any bad request.
      if (/not (loaded|found)|unknown (model|session)|does not exist/i.test(detailOf(answer)))
        throw new ModelForgotten(`${path}: ${detailOf(answer)}`);
      throw new ServerRefused(`the server ${this.server.name} refused ${path} (${detailOf(answer)})`);
    }
    const read = schema.safeParse(answer.body instanceof Uint8Array ? decoders.get(schema)?.(answer.body) : answer.body);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    throw new ServerRefused(
      `the server ${this.server.name} answered ${path} in a form that is not the Tinker API's: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`,
    );
  }

  /** One answer that is no passing failure. @param isResult a 408 says that the result is not there yet. */
  async #answer(request: ServerRequest, moves: boolean, isResult = false): Promise<ServerAnswer> {
    for (let tries = 0, cut = 0; ; tries++) {
      const askedAt = this.clock.now();
      let status = 0;
      let why: string;
      try {
        const answer = await this.server.send(request);
        status = answer.status;
        if (!isPassing(status) || (isResult && status === 408)) {
          this.#heardAt = this.clock.now();
          this.#isBack();
          return answer;
        }
        why = detailOf(answer);
      } catch (error) {
        why = error instanceof Error ? error.message : String(error);
      }
      if (moves && !isTurnedAway(status) && !this.countsOnce) throw new InDoubt(`${request.path}: ${why}`);
      const now = this.clock.now();
      // Held for longer than a next try would have been waited for, and ended by something between here and the server.
      const heldMs = isResult && (status === 0 || status > 501) ? now - askedAt : 0;
      const isCut = heldMs > LONGEST_WAIT_MS;
      const isThere = this.#heardAt > askedAt;
      if (isCut && isThere) this.#isBack();
      if (isCut) [cut, tries, this.#awaySince] = [isThere ? 0 : cut + 1, 0, null];
      // One that has been away for long is tried once at a time, so that a run that stands still does not wait for it again and again.
      else this.#awaySince ??= now;
      const [awayMs, mostMs] = isCut ? [cut * heldMs, MOST_CUT * heldMs] : [now - (this.#awaySince ?? now), this.patienceMs];
      if (awayMs >= NOTICE_MS && awayMs < mostMs && !this.#isTold) {
        this.#isTold = true;
        const message = `The server ${this.server.name} has not answered for ${Math.round(awayMs / 1000)} s (${why}). It is asked again for up to ${Math.round(mostMs / 1000)} s; once it answers, the run goes on by itself.`;
        this.onNotice?.({ message, passing: "begun" });
      }
      if (awayMs >= mostMs) throw new ServerAway(`the server ${this.server.name} cannot be reached (${request.path}: ${why})`);
      await this.clock.sleep(waitMs(tries));
    }
  }

  /** Tells the server that somebody is there. A failure is told by the next request. */
  async beat(path: string, body: object, timeoutMs: number): Promise<void> {
    const answer = await this.server.send({ method: "POST", path, body, timeoutMs }).catch(() => null);
    if (answer && !isPassing(answer.status)) this.#heardAt = this.clock.now();
  }

  #isBack(): void {
    if (this.#isTold) this.onNotice?.({ message: `The server ${this.server.name} answers again; the run goes on.`, passing: "over" });
    this.#isTold = false;
    this.#awaySince = null;
  }
}

/** How long to wait after so many tries. */
export const waitMs = (tries: number): number => Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(tries, 10));

/** Whether a result is not there yet, in either of the two ways that servers say so. */
function isStillWorking({ status, body }: ServerAnswer): boolean {
  return status === 408 || (status === 200 && typeof body === "object" && body !== null && "type" in body && body.type === "try_again");
}
