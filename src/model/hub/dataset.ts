// A data set of the Hugging Face hub as Parquet: which parts it has, where their files lie, and whether what came is one of them.
import { isRecord, showValue } from "../../protocol/problems.ts";
import type { DatasetPart } from "../../protocol/rollouts/hubRollouts.ts";
import { answerOf, Denied, type HubAccess } from "./hub.ts";

/** Addresses of the files of every split of every configuration. */
type DatasetParts = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const areSplits = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((urls) => Array.isArray(urls) && urls.every((url) => typeof url === "string"));

/** Asks which parts a data set has. Throws a sentence where it has none of that name, or nobody may read it. @param dataset OWNER/NAME */
export async function datasetParts(access: HubAccess, dataset: string): Promise<DatasetParts> {
  const answer = await answerOf(access, `${access.base}/api/datasets/${dataset}/parquet`, `the data set ${dataset}`);
  const said: unknown = await answer.json().catch(() => null);
  if (!isRecord(said) || !Object.values(said).every(areSplits))
    throw new Denied(`${access.base} did not say what ${dataset} holds, got ${showValue(said)}`);
  return said as DatasetParts;
}

/** The configuration that is meant where none is named: the only one, or the usual one. */
export const usualConfig = (names: readonly string[]): string | undefined =>
  names.length === 1 ? names[0] : names.find((name) => name === "default" || name === "main");

/** The parts one by one, and which of them is the usual one. Throws where there is none. */
export function listedParts(dataset: string, all: DatasetParts) {
  const parts = Object.entries(all).flatMap(([config, splits]) =>
    Object.entries(splits).map(([split, urls]): DatasetPart => ({ config, split, urls })),
  );
  if (parts.length === 0) throw new Denied(`the hub keeps no Parquet of ${dataset}`);
  const usual = usualConfig(Object.keys(all));
  return {
    parts,
    usual: Math.max(
      0,
      parts.findIndex(({ config, split }) => config === usual && split === "train"),
    ),
  };
}

/** The path of a split's file among rollouts. Its number is that of a piece, which no reader may take for a step. */
export const pathInDataset = (dataset: string, split: string, i: number): string => `${dataset}/${split}/part-${i}.parquet`;

/** Bytes at either end of a Parquet file, by which one is known that came whole. */
export const PARQUET_FRAME = 4;

/** Throws where what came is no whole Parquet file. @param ends its first and its last bytes */
export function checkParquet(what: string, url: string, bytes: number, ends: readonly Uint8Array[]): void {
  if (bytes < 2 * PARQUET_FRAME || !ends.every((end) => new TextDecoder().decode(end) === "PAR1"))
    throw new Denied(`${what} did not come whole: ${url} must be a Parquet file, got ${bytes} bytes of something else`);
}
