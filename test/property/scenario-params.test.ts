import fc from "fast-check";
import { expect, test } from "vitest";
import { SandboxError } from "../../src/errors/errors.ts";
import type { ParamSpec } from "../../src/scenarios/define.ts";
import { readParams } from "../../src/scenarios/params.ts";

const text = fc.string({ maxLength: 12 });
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const value = fc.oneof(text, number, fc.boolean());
const name = fc.stringMatching(/^[a-z]{1,6}$/);

/** A parameter of a given type, with or without choices. */
const specOf = <Value extends string | number | boolean>(of: fc.Arbitrary<Value>) =>
  fc
    .array(of, { minLength: 1, maxLength: 4 })
    .map(
      ([standard, ...others]): ParamSpec =>
        others.length === 0
          ? { default: standard! }
          : { default: standard!, choices: [standard!, ...others] },
    );
const specs = fc.dictionary(name, fc.oneof(specOf(text), specOf(number), specOf(fc.boolean())), {
  maxKeys: 4,
});
const given = fc.dictionary(name, fc.oneof(value, fc.constantFrom("true", "false", "1e3", "", "NaN", null)), {
  maxKeys: 4,
});

/** The value that a run uses for a given one if the default is `standard`; undefined for an invalid value. */
function meaning(standard: unknown, one: unknown): unknown {
  if (typeof one === typeof standard)
    return typeof one !== "number" || Number.isFinite(one) ? one : undefined;
  if (typeof one !== "string") return undefined;
  if (typeof standard === "boolean") return { true: true, false: false }[one];
  const number = one.trim() === "" ? Number.NaN : Number(one);
  return Number.isFinite(number) ? number : undefined;
}

test("a run gets every parameter with its type and choices, or an error that names it", () => {
  fc.assert(
    fc.property(specs, given, (declared, values) => {
      const right = Object.entries(values).every(([key, one]) => {
        if (!Object.hasOwn(declared, key)) return false;
        const { default: standard, choices } = declared[key]!;
        const meant = meaning(standard, one);
        return meant !== undefined && (choices?.includes(meant as never) ?? true);
      });
      if (!right) {
        try {
          readParams("story", declared, values);
          expect.unreachable();
        } catch (error) {
          expect(error).toBeInstanceOf(SandboxError);
          const { code, message, hint } = error as SandboxError;
          expect(code).toBe("bad_request");
          expect(Object.keys(values).some((key) => message.includes(key))).toBe(true);
          expect(hint).not.toBe("");
        }
        return;
      }
      const read = readParams("story", declared, values);
      expect(Object.keys(read).sort()).toEqual(Object.keys(declared).sort());
      for (const [key, spec] of Object.entries(declared)) {
        const wanted = Object.hasOwn(values, key) ? meaning(spec.default, values[key]) : spec.default;
        expect(read[key]).toBe(wanted);
      }
    }),
  );
});
