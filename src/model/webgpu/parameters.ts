// What training moves on the GPU, with gradient and moments, each one flat buffer in the order of its layout. Kernels
// are given a window of it and an offset inside: the whole where a binding may hold it, else the
// aligned neighbourhood of what they touch.

import { usage } from "../../kernels/webgpu/arena.ts";
import type { WeightSlot } from "../../rl/policy.ts";
import { sizeOf, type TensorLayout } from "../tensors.ts";

/** A window of a flat buffer: what to bind, and the flat index of its first word. */
export interface Window {
  readonly binding: GPUBufferBinding;
  readonly base: number;
}

const alignWords = 64;
const mostCopies = 8;
const mostCopyBytes = 96 * 2 ** 20;

/** How the flat buffers of so many parameters lie on a device with bindings of so many bytes. */
export function parameterSizes(count: number, bindingBytes: number) {
  const stride = Math.ceil(count / alignWords) * alignWords;
  const copies = Math.max(1, Math.min(mostCopies, Math.floor(Math.min(bindingBytes, mostCopyBytes) / (stride * 4))));
  return { stride, copies };
}

/** Words beside what is wanted that a window of a flat buffer may have; none where a binding holds the whole. */
export const windowSlack = (count: number, bindingBytes: number): number =>
  parameterSizes(count, bindingBytes).stride * 4 > bindingBytes ? alignWords + 4 : 0;

/** Bytes of a flat parameter buffer may exceed a binding but not a buffer. */
function flatBuffer(device: GPUDevice, name: string, words: number): GPUBuffer {
  const size = Math.ceil(words / alignWords) * alignWords * 4;
  if (size > device.limits.maxBufferSize)
    throw new Error(`${name} needs ${size} bytes, a buffer of this GPU holds ${device.limits.maxBufferSize}`);
  return device.createBuffer({ label: name, size, usage: usage.storage | usage.copySource | usage.copyTarget });
}

/** Allocates everything but the reference. All zeros. */
export function createParameters(device: GPUDevice, layout: TensorLayout, bindingBytes: number) {
  const count = sizeOf(layout);
  const { stride, copies } = parameterSizes(count, bindingBytes);
  const policy = flatBuffer(device, "policy", count);
  let reference: GPUBuffer | null = null;
  const gradient = flatBuffer(device, "gradient", stride * copies);
  const first = flatBuffer(device, "first moment", count);
  const second = flatBuffer(device, "second moment", count);
  return {
    count,
    /** The gradient is kept in this many copies, `stride` words apart, which the norm adds up. */
    copies,
    stride,
    gradient,
    first,
    second,
    /** Throws for a reference that is not there. */
    weights(slot: WeightSlot): GPUBuffer {
      if (slot === "policy") return policy;
      if (!reference) throw new Error("internal: the reference weights are not set");
      return reference;
    },
    /** Makes the reference's buffer, if it is not there. */
    holdReference(): void {
      reference ??= flatBuffer(device, "reference", count);
    },
    dropReference(): void {
      reference?.destroy();
      reference = null;
    },
    /** Window over words [from, to) of a flat buffer. */
    window(buffer: GPUBuffer, from: number, to: number): Window {
      if (buffer.size <= bindingBytes) return { binding: { buffer }, base: 0 };
      const base = Math.floor(from / alignWords) * alignWords;
      const size = Math.min(buffer.size, Math.ceil(to / 4) * 16) - base * 4;
      if (size > bindingBytes) throw new Error(`a weight tensor needs ${size} bytes, a binding of this GPU holds ${bindingBytes}`);
      return { binding: { buffer, offset: base * 4, size }, base };
    },
    /** The flat range of parameters cut into windows no larger than a binding. */
    chunks() {
      const words = Math.floor(bindingBytes / (alignWords * 4)) * alignWords;
      return Array.from({ length: Math.ceil(count / words) }, (_, i) => ({ from: i * words, to: Math.min(count, (i + 1) * words) }));
    },
    destroy(): void {
      for (const buffer of [policy, reference, gradient, first, second]) buffer?.destroy();
    },
  };
}
export type Parameters = ReturnType<typeof createParameters>;
