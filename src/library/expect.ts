/** The part of Jest's `expect` that scenarios can use, declared here so the library's types need no other package. */

/**
 * Expectations with the matchers of Jest and Vitest.
 * @example
 * expect(timeline.attempts).toHaveLength(2);
 * await expect(sandbox.payments.pay("nothing")).rejects.toMatchObject({ code: "not_found" });
 */
export interface Expect extends AsymmetricMatchers {
  (actual: unknown): Expectation;
  not: Omit<AsymmetricMatchers, "any" | "anything">;
}

/**
 * Assertions about a value, their negation, or a promise's result.
 * @example
 * await expect(sandbox.payments.pay("coffee")).resolves.toMatchObject({ transaction: { status: "completed" } });
 */
export interface Expectation extends Matchers<void> {
  not: Matchers<void>;
  rejects: Matchers<Promise<void>> & { not: Matchers<Promise<void>> };
  resolves: Matchers<Promise<void>> & { not: Matchers<Promise<void>> };
}

/**
 * The matchers for one value. With `rejects` and `resolves` they return promises.
 * @example
 * expect(status).not.toBe("failed");
 */
export interface Matchers<Result> {
  toBe(expected: unknown): Result;
  toBeCloseTo(expected: number, precision?: number): Result;
  toBeDefined(): Result;
  toBeFalsy(): Result;
  toBeGreaterThan(expected: number | bigint): Result;
  toBeGreaterThanOrEqual(expected: number | bigint): Result;
  toBeInstanceOf(expected: unknown): Result;
  toBeLessThan(expected: number | bigint): Result;
  toBeLessThanOrEqual(expected: number | bigint): Result;
  toBeNaN(): Result;
  toBeNull(): Result;
  toBeTruthy(): Result;
  toBeUndefined(): Result;
  toContain(expected: unknown): Result;
  toContainEqual(expected: unknown): Result;
  toEqual(expected: unknown): Result;
  toHaveLength(expected: number): Result;
  toHaveProperty(path: string | string[], expected?: unknown): Result;
  toMatch(expected: string | RegExp): Result;
  toMatchObject(expected: object | object[]): Result;
  toStrictEqual(expected: unknown): Result;
  toThrow(expected?: unknown): Result;
}

/**
 * Placeholders inside an expected value.
 * @example
 * expect(message).toEqual(expect.objectContaining({ signature: "valid" }));
 */
export interface AsymmetricMatchers {
  any(type: unknown): unknown;
  anything(): unknown;
  arrayContaining(items: unknown[]): unknown;
  arrayOf(item: unknown): unknown;
  closeTo(value: number, precision?: number): unknown;
  objectContaining(fields: object): unknown;
  stringContaining(part: string): unknown;
  stringMatching(pattern: string | RegExp): unknown;
}
