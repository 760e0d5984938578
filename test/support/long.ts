// What takes too long for every run of the tests is done by npm run test:long, before work is handed over.

/** Whether this is the long run. */
export const isLong = process.env.TEST_LONG === "1";

/** How often a property is tried: a sample of the long run's cases at other times. */
export const tries = (usual: number, long: number): number => (isLong ? long : usual);

/** The title of a test of the long run alone, which other runs count as skipped: `it.skipIf(!isLong)(longOnly("..."), ...)`. */
export const longOnly = (title: string): string => (isLong ? title : `${title} (skipped: tried by npm run test:long)`);
