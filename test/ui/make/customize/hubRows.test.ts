import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { hubRows, hubSplits, type RowsAccess } from "../../../../src/ui/make/customize/data/hubRows.ts";

let server: Server | null = null;
afterEach(() => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())));

/** A rows service of this machine; how it is asked, and what it was asked for. */
async function service(
  answer: (url: URL, response: ServerResponse, asked: number) => void,
): Promise<RowsAccess & { readonly asked: string[] }> {
  const asked: string[] = [];
  server = createServer((request: IncomingMessage, response) => {
    asked.push(request.url ?? "");
    answer(new URL(request.url ?? "", "http://localhost"), response, asked.length);
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { fetch: (url) => fetch(url), sleep: async () => {}, base, asked };
}

const json = (response: ServerResponse, body: unknown, status = 200) => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
};

describe("a data set of the hub", () => {
  it("is brought page by page, up to as many rows as are wanted", async () => {
    const access = await service((url, response) => {
      if (url.pathname === "/splits") return json(response, { splits: [{ dataset: "a/b", config: "main", split: "train" }] });
      const [offset, length] = [Number(url.searchParams.get("offset")), Number(url.searchParams.get("length"))];
      const rows = Array.from({ length: Math.min(length, 230 - offset) }, (_, i) => ({
        row_idx: offset + i,
        row: { question: `q${offset + i}` },
      }));
      json(response, { rows, num_rows_total: 230 });
    });
    const [split] = await hubSplits(access, "a/b");
    const counts: number[] = [];
    const rows = await hubRows(access, "a/b", split!, 1000, (count) => counts.push(count));
    expect(rows.map((row) => JSON.parse(row).question)).toEqual(Array.from({ length: 230 }, (_, i) => `q${i}`));
    expect(counts).toEqual([100, 200, 230]);
    expect(await hubRows(access, "a/b", split!, 42, () => {})).toHaveLength(42);
  });

  it("is refused where the service ends before the rows that it says there are", async () => {
    const access = await service((url, response) => {
      const offset = Number(url.searchParams.get("offset"));
      json(response, {
        rows: offset === 0 ? Array.from({ length: 100 }, (_, i) => ({ row: { question: `q${i}` } })) : [],
        num_rows_total: 230,
      });
    });
    const split = { config: "main", split: "train" };
    await expect(hubRows(access, "a/b", split, 1000, () => {})).rejects.toThrow("ended after 100 of 230 rows of a/b");
    expect(await hubRows(access, "a/b", split, 100, () => {})).toHaveLength(100);
  });

  it("is asked for again where the service is busy, and given up with a sentence", async () => {
    const busy = await service((_, response, asked) =>
      asked < 3 ? json(response, {}, 503) : json(response, { splits: [{ config: "c", split: "s" }] }),
    );
    expect(await hubSplits(busy, "a/b")).toEqual([{ config: "c", split: "s" }]);
    expect(busy.asked).toHaveLength(3);
  });

  it.each([
    [404, { error: "not found" }, "a/b is not there, or not open to everybody: not found"],
    [401, {}, "a/b is not there, or not open to everybody"],
    [429, {}, "the hub's rows service answers 429 for a/b"],
    [422, { error: "no viewer" }, "the hub's rows service cannot show a/b (422): no viewer"],
    [200, { splits: "x" }, "a/b has no part that can be shown"],
    [200, [], "the hub's rows service cannot show a/b (200)"],
  ])("that answers %d %j is refused with a sentence", async (status, body, sentence) => {
    const access = await service((_, response) => json(response, body, status));
    await expect(hubSplits(access, "a/b")).rejects.toThrow(sentence);
  });

  it("is not asked for under a name that is none, and says where nothing can be reached", async () => {
    const access: RowsAccess = { fetch: () => Promise.reject(new TypeError("failed")), sleep: async () => {}, base: "http://127.0.0.1:1" };
    await expect(hubSplits(access, "../../x")).rejects.toThrow('the data set must be named OWNER/NAME, got "../../x"');
    await expect(hubSplits(access, "a/b")).rejects.toThrow("cannot be reached from here");
  });
});
