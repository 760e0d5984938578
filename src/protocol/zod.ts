// The schema library for everything here. By itself it compiles checks from text where it may, and tries
// whether it may; the page's content policy forbids that, and each try would be reported as a violation.
import { config, z } from "zod";

config({ jitless: true });

export { z };

/** What a schema reads, as data that nobody writes to. By shapes and not by z.output, which loses what is said of each field. */
export type Recorded<S> =
  S extends z.ZodExactOptional<infer Inner>
    ? Recorded<Inner>
    : S extends z.ZodNullable<infer Inner>
      ? Recorded<Inner> | null
      : S extends z.ZodArray<infer Item>
        ? readonly Recorded<Item>[]
        : S extends z.ZodDiscriminatedUnion<infer Options>
          ? Recorded<Options[number]>
          : S extends z.ZodObject<infer Shape>
            ? { [K in keyof Shape]: Shape[K] extends z.ZodExactOptional ? K : never }[keyof Shape] extends infer Lacking extends keyof Shape
              ? { readonly [K in keyof Pick<Shape, Exclude<keyof Shape, Lacking>>]: Recorded<Shape[K]> } & {
                  readonly [K in keyof Pick<Shape, Lacking>]?: Recorded<Shape[K]>;
                }
              : never
            : S extends z.ZodType
              ? Readonly<z.output<S>>
              : never;
