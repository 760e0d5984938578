// Many short arrays from one allocation. A typed array of its own costs several times what a view does,
// which is most of the time of a step on a small policy.

/** A function that returns the next `length` entries of `values` as a view at each call. */
export function consecutiveSubarrays<A extends Float32Array | Float64Array | Int32Array>(values: A): (length: number) => A {
  let used = 0;
  return (length) => {
    const start = used;
    used += length;
    return values.subarray(start, used) as A;
  };
}
