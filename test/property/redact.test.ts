import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutPasswords } from "../../src/runtime/redact.ts";

/** A password that does not occur anywhere else in the URLs used here. */
const password = fc
  .string({ minLength: 4, unit: "grapheme-ascii" })
  .filter(
    (text) =>
      !/\s/.test(text) && !"postgres://app@localhost:5432/shop?schema=public&password=".includes(text),
  )
  .map((text) => `${text}\u0142`);

const scheme = fc.constantFrom("postgres", "postgresql", "mysql", "redis", "mongodb+srv");

describe("printed and saved addresses", () => {
  it("a redacted address contains no password, whatever its characters or escaping", () => {
    fc.assert(
      fc.property(scheme, password, fc.boolean(), (name, secret, isEscaped) => {
        const shown = withoutPasswords(
          `${name}://app:${isEscaped ? encodeURIComponent(secret) : secret}@localhost:5432/shop?schema=public`,
        );
        expect(shown).not.toContain(secret);
        expect(shown).not.toContain(encodeURIComponent(secret));
        expect(shown).toMatch(/^[a-z+]+:\/\/app@/);
      }),
      { numRuns: 2000 },
    );
  });

  it("a redacted address contains no password in its query", () => {
    fc.assert(
      fc.property(scheme, password, fc.boolean(), fc.boolean(), (name, secret, isFirst, hasUser) => {
        const value = encodeURIComponent(secret);
        const parameters = isFirst ? `password=${value}&schema=public` : `schema=public&Pass%77ord=${value}`;
        const shown = withoutPasswords(`${name}://${hasUser ? "app@" : ""}localhost:5432/shop?${parameters}`);
        expect(shown).not.toContain(value);
        expect(shown).toBe(`${name}://${hasUser ? "app@" : ""}localhost:5432/shop?schema=public`);
      }),
      { numRuns: 1000 },
    );
  });

  it("a redacted command contains no password", () => {
    fc.assert(
      fc.property(
        password.filter((text) => !/['"]/.test(text)),
        (secret) => {
          const shown = withoutPasswords(
            `psql 'postgres://app:${secret}@localhost/shop' -c 'delete from orders'`,
          );
          expect(shown).toBe("psql 'postgres://app@localhost/shop' -c 'delete from orders'");
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["postgres://app:hunt#er2@localhost/shop", "postgres://app@localhost/shop"],
    ["postgres://localhost/shop?user=app&password=hunter2", "postgres://localhost/shop?user=app"],
    ["http://app:secret@127.0.0.1:3000/state?by=a@b", "http://app@127.0.0.1:3000/state?by=a@b"],
  ])("%s is redacted to %s", (address, shown) => expect(withoutPasswords(address)).toBe(shown));

  it.each([
    "sqlite:shop.db",
    "http://127.0.0.1:3000/state?mail=a@b.example",
    "postgres://localhost:5432/shop?schema=shop",
    "node print-state.js",
  ])("an address without a password is not changed: %s", (address) =>
    expect(withoutPasswords(address)).toBe(address),
  );
});
