import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeOver } from "../../src/webhooks/body-text.ts";
import { readEdited } from "../../ui/models/event-body.ts";

const merge = (example: object, data: object): Record<string, unknown> =>
  JSON.parse(mergeOver(JSON.stringify(example), data));

test("merging the changes into the example produces any edited body", () => {
  const names = fc.constantFrom("a", "b", "c");
  const { json } = fc.letrec<{ json: Record<string, unknown>; value: unknown }>((tie) => ({
    json: fc.dictionary(names, tie("value"), { noNullPrototype: true }),
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, 0, 7, "", "text"),
      fc.array(tie("value"), { maxLength: 2 }),
      tie("json"),
    ),
  }));
  fc.assert(
    fc.property(json, json, (example, edits) => {
      const edited = merge(example, edits);
      const read = readEdited(example, JSON.stringify(edited));
      expect(read).toHaveProperty("data");
      const { data } = read as { data: Record<string, unknown> };
      expect(merge(example, data)).toEqual(edited);
      for (const [name, value] of Object.entries(data)) expect(value).not.toEqual(example[name]);
    }),
  );
});

test("the form points out a field that was removed from a body, because merging would restore it", () => {
  const example = { id: "evt_1", data: { object: { amount: 5, tags: [1] } } };
  expect(readEdited(example, '{"id": "evt_1", "data": {"object": {"tags": []}}}')).toEqual({
    problem: expect.stringMatching(/^data\.object\.amount is in every event/),
  });
  expect(readEdited(example, "{")).toEqual({ problem: expect.stringMatching(/^This is not JSON/) });
  expect(readEdited(example, "null")).toEqual({ problem: "The body must be a JSON object, in { }." });
});
