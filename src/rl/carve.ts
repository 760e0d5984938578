// Many short arrays from one allocation. A typed array of its own costs several times what a view does,
// which is most of the time of a step on a small policy.

/** Hands out views of `room`, one behind the other; together they may be as long as it. */
export function carve<A extends Float32Array | Float64Array | Int32Array>(room: A): (length: number) => A {
  let used = 0;
  return (length) => {
    const start = used;
    used += length;
    return room.subarray(start, used) as A;
  };
}
