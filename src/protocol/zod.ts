// The schema library for everything here. By itself it compiles checks from text where it may, and tries
// whether it may; the page's content policy forbids that, and each try would be reported as a violation.
import { config, z } from "zod";

config({ jitless: true });

export { z };

/** What a schema reads, as data that nobody writes to. */
export type Recorded<S> = S extends z.ZodType ? Recorded<z.output<S>> : S extends object ? { readonly [K in keyof S]: Recorded<S[K]> } : S;
