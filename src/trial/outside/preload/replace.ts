export type Method<This = unknown> = (this: This, ...values: unknown[]) => unknown;

/**
 * Replaces a method.
 * @returns a function that restores the original. If something else has replaced the method since, ours stays underneath it
 * and calls the original.
 */
export function replaceMethod<This = unknown>(
  object: object,
  name: string,
  make: (original: Method<This>) => Method<This>,
): () => void {
  const methods = object as Record<string, Method<This>>;
  const original = methods[name]!;
  const replacement = make(original);
  let isOver = false;
  function own(this: This, ...values: unknown[]): unknown {
    return (isOver ? original : replacement).apply(this, values);
  }
  // Include the symbols that util.promisify uses.
  methods[name] = Object.defineProperties(own, Object.getOwnPropertyDescriptors(original));
  return () => {
    isOver = true;
    if (methods[name] === own) methods[name] = original;
  };
}
