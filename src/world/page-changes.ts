import { PAGE_BYTES } from "./database.ts";

/** How a database differs from the bytes that it began with. */
export interface PageChanges {
  bytes: number;
  /** Pages that differ, by their number from 0, one after the other. */
  numbers: number[];
  pages: Buffer;
}

/** What is in `bytes` and not in `base`. */
export function changesOf(base: Buffer, bytes: Buffer): PageChanges {
  const numbers: number[] = [];
  for (let start = 0; start < bytes.length; start += PAGE_BYTES) {
    const end = Math.min(start + PAGE_BYTES, bytes.length);
    const same = end <= base.length && bytes.compare(base, start, end, start, end) === 0;
    if (!same) numbers.push(start / PAGE_BYTES);
  }
  const pages = Buffer.concat(
    numbers.map((number) => bytes.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES)),
  );
  return { bytes: bytes.length, numbers, pages };
}

/** The bytes that `changesOf` was given. */
export function withChanges(base: Buffer, { bytes, numbers, pages }: PageChanges): Buffer {
  const whole = Buffer.alloc(bytes);
  base.copy(whole, 0, 0, Math.min(base.length, bytes));
  for (const [index, number] of numbers.entries())
    pages.copy(whole, number * PAGE_BYTES, index * PAGE_BYTES, (index + 1) * PAGE_BYTES);
  return whole;
}
