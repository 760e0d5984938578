// What the page asks the worker that brings a data set of the Hugging Face hub, and what comes back. Files come as the browser's own, which
// it may hold on disk.

/** A split of a configuration, and where its Parquet files lie. */
export interface DatasetPart {
  readonly config: string;
  readonly split: string;
  readonly urls: readonly string[];
}

/** Which parts a data set has; or the files of one. */
export type HubRequest = { readonly dataset: string } & (
  | { readonly does: "list" }
  | ({ readonly does: "bring" } & Pick<DatasetPart, "split" | "urls">)
);

/** How far a part has come. */
export interface HubProgress {
  /** The file that comes, from 0, and of how many. */
  readonly file: number;
  readonly files: number;
  /** Bytes of all files that are here. */
  readonly doneBytes: number;
  /** How much of this file is here, 0 to 1; null where the hub does not say how large it is. */
  readonly share: number | null;
}

export type HubReply =
  /** The parts, and which of them is the usual one. */
  | { readonly type: "parts"; readonly parts: readonly DatasetPart[]; readonly usual: number }
  | ({ readonly type: "progress" } & HubProgress)
  | { readonly type: "files"; readonly files: readonly { readonly path: string; readonly file: File }[] }
  | { readonly type: "problem"; readonly message: string };
