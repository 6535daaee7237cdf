import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { bind, part } from "../../ui/models/binding.ts";
import { hasWords } from "../../ui/models/format.ts";

test("a field changes only its own part of a draft", () => {
  const draft = signal({ name: "Coffee", uses: "" });
  const uses = part(draft, "uses", (text) => text.replace(/\D/g, ""));
  uses.value = "1 2x";
  expect(draft.value).toEqual({ name: "Coffee", uses: "12" });
  expect(uses.value).toBe("12");
});

test("binding writes back a changed part as a whole value", () => {
  const written: unknown[] = [];
  const draft = bind({ kind: "status", status: "503" }, (next) => written.push(next));
  part(draft, "status").value = "500";
  expect(written).toEqual([{ kind: "status", status: "500" }]);
});

test.each([
  ["", true],
  ["  200 get ", true],
  ["POST", false],
])("a search for %j matches regardless of case, and requires every word", (search, found) => {
  expect(hasWords("GET /payments 200", search)).toBe(found);
});
