// Tensors by name: where they lie, and how they go from one layout to another.
import { describe, expect, it } from "vitest";
import { layoutOf, sizeOf, type TensorSet, tensorsOf, trainableOf, valuesFor } from "../../src/model/tensors.ts";

const spec = (name: string, shape: readonly number[], trainable = true) => ({ name, shape, trainable });
const layout = layoutOf([spec("a", [2, 3]), spec("b", [2]), spec("head", [1])]);
const set: TensorSet = { layout, values: Float32Array.from({ length: 9 }, (_, i) => i) };
const isHead = (name: string) => name === "head";

describe("a layout", () => {
  it("has its tensors one behind the other", () => {
    expect(layout.map(({ offset, size }) => [offset, size])).toEqual([
      [0, 6],
      [6, 2],
      [8, 1],
    ]);
    expect(sizeOf(layout)).toBe(9);
  });

  it("without what training leaves alone is packed anew", () => {
    expect(trainableOf(layout)).toBe(layout);
    const frozen = layoutOf([spec("base", [100], false), spec("adapter", [4]), spec("more", [3], false), spec("last", [2])]);
    expect(trainableOf(frozen).map(({ name, offset }) => [name, offset])).toEqual([
      ["adapter", 0],
      ["last", 4],
    ]);
  });
});

describe("values for a layout", () => {
  it("are the very array where the tensors are the same, and views show it", () => {
    const same = layoutOf(layout);
    expect(valuesFor(same, set, "weights")).toBe(set.values);
    tensorsOf(set).get("b")!.data.fill(7);
    expect(Array.from(set.values.subarray(6, 8))).toEqual([7, 7]);
    set.values.set([6, 7], 6);
  });

  it("go by name where the order is another", () => {
    const turned = layoutOf([spec("head", [1]), spec("b", [2]), spec("a", [2, 3])]);
    expect(Array.from(valuesFor(turned, set, "weights"))).toEqual([8, 6, 7, 0, 1, 2, 3, 4, 5]);
  });

  it("are 0 where a tensor may be missing, and none where one is left over", () => {
    const without = layoutOf(layout.filter(({ name }) => !isHead(name)));
    const cut = valuesFor(without, set, "weights", isHead);
    expect(Array.from(cut)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(Array.from(valuesFor(layout, { layout: without, values: cut }, "weights", isHead))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 0]);
  });

  it.each([
    ["a name that it does not know", [spec("a", [2, 3]), spec("b", [2])], 'weights: tensor "head" has no place in this model'],
    ["a tensor that is missing", [...layout, spec("c", [4, 1])], 'weights: tensor "c" [4, 1] is missing'],
    [
      "the same number in another shape",
      [spec("a", [3, 2]), spec("b", [2]), spec("head", [1])],
      'weights: tensor "a" must have shape [3, 2], got [2, 3]',
    ],
  ])("are refused for %s", (_what, specs, message) => {
    expect(() => valuesFor(layoutOf(specs), set, "weights")).toThrow(message);
  });
});
