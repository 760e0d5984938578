// Parts of the page whose code loads later than the page. A load can fail: the connection goes, the server
// rests, or a new build has taken the old one's files away. It is then tried again by itself, and after
// that by whoever presses the button of the face that stands in the part's place.

import { type ComponentType, use } from "react";
import { errorText } from "../../protocol/problems.ts";

/** Waits before the second and the third try. */
const PATIENCE_MS = [300, 1200] as const;

/** The code of a part of the page did not come. */
export class LoadError extends Error {
  override readonly name = "LoadError";
  /** Lets the part be loaded again the next time it is drawn. */
  readonly forget: () => void;
  constructor(cause: unknown, forget: () => void) {
    super(errorText(cause), { cause });
    this.forget = forget;
  }
}

/** Addresses of the style sheets that did not come. The bundler tells of the first alone, and counts all as loaded from then on. */
const missing = new Set<string>();
globalThis.document?.addEventListener(
  "error",
  ({ target }) => target instanceof HTMLLinkElement && target.rel === "stylesheet" && missing.add(target.href),
  true,
);

/** Loads a style sheet again that did not come. */
async function loadStyles(address: string): Promise<void> {
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")) if (link.href === address) link.remove();
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", crossOrigin: "", href: address });
  await new Promise<void>((resolve, reject) => {
    link.onload = () => resolve();
    link.onerror = () => reject(new Error(`The styles ${address} did not come`));
    document.head.append(link);
  });
  missing.delete(address);
}

let timesAgain = 0;

/**
 * Loads a module again after a failure. Browsers remember a module that failed (HTML, "fetch a single module
 * script"), so it is asked for under another address; what it imports keeps its own and is there once.
 */
async function loadAgain<M>(load: () => Promise<M>, failure: string): Promise<M> {
  await Promise.all(Array.from(missing, loadStyles));
  const script = /https?:\/\/\S+\.js/.exec(failure)?.[0];
  if (!script) return load();
  timesAgain += 1;
  return import(/* @vite-ignore */ `${script}?again=${timesAgain}`);
}

/**
 * Loads a module, in a few tries.
 * @param before how it failed the last time it was asked for, if it was.
 */
async function loadWithPatience<M>(load: () => Promise<M>, before: unknown): Promise<M> {
  let failure = before;
  for (let attempt = 0; ; attempt++) {
    try {
      return await (failure === undefined ? load() : loadAgain(load, String(failure)));
    } catch (error) {
      failure = error;
      const waitMs = PATIENCE_MS[attempt];
      if (waitMs === undefined) throw failure;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

export type LazyPart<P> = ComponentType<P> & {
  /** Loads the code ahead; where that fails, it is tried again when the part is drawn. */
  readonly load: () => Promise<void>;
};

type PropsOf<C> = C extends () => unknown ? object : C extends (props: infer P) => unknown ? P : never;

/** A component of a module, by its name there, that loads when it is first drawn; give it a FaultBoundary. */
export function lazyPart<K extends string, M extends Readonly<Record<K, (props: never) => unknown>>>(
  load: () => Promise<M>,
  name: K,
): LazyPart<PropsOf<M[K]>>;
export function lazyPart<P extends object>(load: () => Promise<Readonly<Record<string, ComponentType<P>>>>, name: string): LazyPart<P> {
  let loading: Promise<ComponentType<P>> | null = null;
  let loaded: ComponentType<P> | undefined;
  let failure: unknown;
  const forget = () => {
    loading = null;
  };
  const begin = () => {
    loading ??= loadWithPatience(load, failure).then(
      (module) => {
        loaded = module[name]!;
        return loaded;
      },
      (error: unknown) => {
        failure = error;
        throw new LoadError(error, forget);
      },
    );
    return loading;
  };
  function Part(props: P) {
    // What is there is drawn at once: even a kept promise would show the fallback, and React holds back for 300 ms what follows one.
    const Loaded = loaded ?? use(begin());
    return <Loaded {...props} />;
  }
  const loadAhead = async () => {
    try {
      await begin();
    } catch {
      // Told when it is drawn, if it fails then too.
      forget();
    }
  };
  return Object.assign(Part, { load: loadAhead });
}
