import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { bind, part } from "../../ui/models/binding.ts";
import { hasWords } from "../../ui/models/format.ts";

test("a form field changes only its own part of a draft", () => {
  const draft = signal({ name: "Coffee", uses: "" });
  const uses = part(draft, "uses", (text) => text.replace(/\D/g, ""));
  uses.value = "1 2x";
  expect(draft.value).toEqual({ name: "Coffee", uses: "12" });
  expect(uses.value).toBe("12");
});

test("a binding writes back the whole value when one part of it changes", () => {
  const written: unknown[] = [];
  const draft = bind({ kind: "status", status: "503" }, (next) => written.push(next));
  part(draft, "status").value = "500";
  expect(written).toEqual([{ kind: "status", status: "500" }]);
});

test.each([
  ["", true],
  ["  200 get ", true],
  ["POST", false],
])("a search for %j is case-insensitive and requires every word", (search, found) => {
  expect(hasWords("GET /payments 200", search)).toBe(found);
});
