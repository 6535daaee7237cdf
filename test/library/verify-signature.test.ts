import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SandboxError, verifySignature } from "../../src/index.ts";

const SECRET = "whsec_5d4c3b2a";
const signed = (body: string | Uint8Array) => createHmac("sha256", SECRET).update(body).digest("hex");

describe("verifySignature", () => {
  test("verifySignature accepts a body as a string or any kind of bytes, and hex in upper or lower case", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), (text) => {
        const bytes = Buffer.from(`${text} Grüße ✓`);
        const padded = Buffer.concat([Buffer.from("x"), bytes]).subarray(1);
        for (const body of [bytes.toString(), bytes, new Uint8Array(bytes), padded]) {
          expect(verifySignature(body, signed(bytes), SECRET)).toBe(true);
          expect(verifySignature(body, signed(bytes).toUpperCase(), SECRET)).toBe(true);
        }
      }),
      { numRuns: 20 },
    );
  });

  test("verifySignature rejects any changed digit or byte, and any other length", () => {
    const change = (digit: string) => (digit === "0" ? "1" : "0");
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 20 }),
        fc.nat(63),
        fc.nat(),
        (body, place, index) => {
          const right = signed(body);
          const at = index % body.length;
          const other = Uint8Array.from(body, (byte, here) => (here === at ? byte ^ 1 : byte));
          const digit = right.slice(0, place) + change(right[place]!) + right.slice(place + 1);
          for (const [given, signature] of [
            [body, digit],
            [other, right],
            [body, right.slice(0, place)],
            [body, `${right}0`],
            [body, ` ${right.slice(1)}`],
            [body, `${right}\n`],
          ] as const)
            expect(verifySignature(given, signature, SECRET)).toBe(false);
          expect(verifySignature(body, right, `${SECRET} `)).toBe(false);
        },
      ),
      { numRuns: 20 },
    );
  });

  test.each([
    ["absent", undefined],
    ["null", null],
    ["empty", ""],
    ["a list, as for a header that was sent twice", [signed("{}"), signed("{}")]],
    ["a number", 7],
    ["prefixed with sha256=", `sha256=${signed("{}")}`],
    ["encoded in base64", createHmac("sha256", SECRET).update("{}").digest("base64")],
    [
      "written in full-width digits",
      signed("{}").replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
    ],
  ])("verifySignature rejects a signature that is %s, without throwing", (_what, signature) => {
    expect(verifySignature("{}", signature as string, SECRET)).toBe(false);
  });

  test.each([
    ["a body that is already parsed", {}, SECRET, /body .* not object/],
    ["a null body", null, SECRET, /body .* not null/],
    ["a missing body", undefined, SECRET, /body .* not undefined/],
    ["a numeric body", 7, SECRET, /body .* not number/],
    ["an empty secret", "{}", "", /secret is empty/],
    ["a missing secret", "{}", undefined, /secret must be a string, not undefined/],
    ["a list of secrets", "{}", [SECRET], /secret must be a string, not object/],
  ])("verifySignature throws an error with a hint for %s", (_what, body, secret, message) => {
    const signature = createHmac("sha256", "").update("{}").digest("hex");
    const call = () => verifySignature(body as string, signature, secret as string);
    expect(call).toThrow(SandboxError);
    expect(call).toThrow(message);
    expect(call).toThrow(
      expect.objectContaining({ code: "bad_request", hint: expect.stringMatching(/^Pass /) }),
    );
  });
});
