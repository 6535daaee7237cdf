/**
 * Removes the parts of a failing list that are not needed for the failure, in smaller and smaller pieces (delta
 * debugging).
 * @param fails whether a list still fails
 * @param until the wall time at which to accept the current result
 */
export async function shrink<T>(
  list: readonly T[],
  fails: (list: readonly T[]) => Promise<boolean>,
  until: number,
): Promise<readonly T[]> {
  const alone = list.slice(-1);
  if (await fails(alone)) return alone;
  let smallest = list;
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < smallest.length && performance.now() < until; ) {
      const shorter = [...smallest.slice(0, at), ...smallest.slice(at + size)];
      if (shorter.length > 0 && (await fails(shorter))) smallest = shorter;
      else at += size;
    }
  return smallest;
}
