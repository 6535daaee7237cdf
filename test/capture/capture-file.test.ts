import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CapturedRequest, openCapture, readCapture } from "../../src/capture/capture-file.ts";
import { createRedaction } from "../../src/capture/redact.ts";
import { folderOf } from "../support/cli.ts";
import { mountSmallDisk } from "../support/small-disk.ts";

const redaction = (places: string[]) => {
  const { redact } = createRedaction(places);
  return (request: CapturedRequest) => redact(request).request;
};

const requestOf = (body: string, headers: Record<string, string> = {}): CapturedRequest => ({
  ...{ time: "2026-11-23T12:00:00.000Z", method: "POST", path: "/webhooks" },
  ...{ headers: { "Content-Type": "application/json", ...headers }, body, status: 200 },
});

test("a capture line cut off by a kill is ignored when reading, and removed before the next line is appended", () => {
  const file = join(folderOf(), "in/a/folder.ndjson");
  const requests = ["one", "two", "x".repeat(200_000)].map((body) => requestOf(body));
  const capture = openCapture(file);
  for (const request of requests) capture.add(request);
  capture.close();
  const read = () => readCapture(readFileSync(file, "utf8"), "it");
  expect(read()).toMatchObject(requests);

  truncateSync(file, readFileSync(file).length - 100_000);
  expect(read()).toMatchObject(requests.slice(0, 2));
  const again = openCapture(file);
  again.add(requestOf("three"));
  again.close();
  expect(read()).toMatchObject([...requests.slice(0, 2), requestOf("three")]);
});

test("a full disk leaves no partial line in a capture, and the next line is stored once there is space", ({
  skip,
}) => {
  const disk = mountSmallDisk(64);
  if (disk === undefined) return skip("this user cannot mount a disk");
  const file = join(disk, "shop.ndjson");
  writeFileSync(join(disk, "other"), "x".repeat(40_000));
  const capture = openCapture(file);
  const read = () => readFileSync(file, "utf8").split("\n");
  capture.add(requestOf("one"));
  for (const _again of [1, 2])
    expect(() => capture.add(requestOf("x".repeat(30_000)))).toThrow(
      `Cannot write ${file}: no space left on device (ENOSPC).`,
    );
  expect(read()).toEqual([JSON.stringify(requestOf("one")), ""]);
  rmSync(join(disk, "other"));
  capture.add(requestOf("two"));
  capture.close();
  expect(read()).toEqual([JSON.stringify(requestOf("one")), JSON.stringify(requestOf("two")), ""]);
});

test("the error about an invalid line of a capture gives its line number", () => {
  const whole = JSON.stringify(requestOf("{}"));
  for (const line of ["{", "{}", whole.replace("2026-11-23", "soon"), whole.replace('"{}"', "{}"), "[1]"])
    expect(() => readCapture(`${whole}\n\n${line}\n${whole}\n`, "shop.ndjson")).toThrow(
      "Line 3 of shop.ndjson is not a captured request.",
    );
  expect(() => openCapture("/proc/no/such.ndjson")).toThrow(/^Cannot write \/proc\/no\/such\.ndjson: /);
});

test("--redact replaces values with others of the same kind and leaves the rest of the body unchanged", () => {
  const redact = redaction(["body.customer", "body.items.*.name", "header.X-Customer"]);
  const body = `{ "id":"cus_1",  "customer" : {"email": "jane@shop.example", "born":"1980-02-29", "phone": "+49 (30) 123-45",
    "visits": 1700, "debt": -0.50, "vip":true},
    "items":[{"name":"Caf\\u00e9 \\"A\\"", "price":1.0},{"price":2e3,"name":"jane@shop.example"}] }`;
  const first = redact(requestOf(body, { "x-customer": "Jane 7" }));
  const kinds = String.raw`^{ "id":"cus_1",  "customer" : {"email": "(u\w{12}@example\.com)", "born":"(\d{4}-\d\d-\d\d)", "phone": "\+\d\d \(\d\d\) \d{3}-\d\d",
    "visits": [1-9]\d{3}, "debt": -[1-9]\.\d\d, "vip":true},
    "items":\[{"name":"[A-Z][a-z]{3} \\"[A-Z]\\"", "price":1\.0},{"price":2e3,"name":"(u\w{12}@example\.com)"}] }$`;
  const [, email, born = "", again] = new RegExp(kinds).exec(first.body) ?? [];
  expect(email).toBeDefined();
  expect(again).toBe(email);
  expect(Date.parse(born)).not.toBeNaN();
  expect(first.headers["x-customer"]).toMatch(/^[A-Z][a-z]{3} \d$/);
  expect(redact(requestOf(`{"customer":"jane@shop.example"}`)).body).toBe(`{"customer":"${email}"}`);
  expect(redaction(["body.customer"])(requestOf(`{"customer":"jane@shop.example"}`)).body).not.toContain(
    email,
  );
});

test("--redact body.a.* replaces the values inside body.a and leaves an empty body.a unchanged", () => {
  const redact = (body: string) => redaction(["body.a.*"])(requestOf(body)).body;
  expect(redact('{"a":"jane"}')).toBe('{"a":"jane"}');
  expect(redact('{"a":["jane"],"b":{"a":{"c":"jane"}}}')).toMatch(
    /^\{"a":\["[a-z]{4}"\],"b":\{"a":\{"c":"jane"\}\}\}$/,
  );
  expect(redact('{"a":{"name":"jane"}}')).not.toContain("jane");
});

test("--redact also redacts form bodies, and drops bodies that it cannot parse", () => {
  const redact = redaction(["body.user_name"]);
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  expect(redact(requestOf("token=a%20b&user_name=jane+d&x", form)).body).toMatch(
    /^token=a%20b&user_name=[a-z]{4}\+[a-z]&x$/,
  );
  expect(redact(requestOf("jane: no JSON")).body).toBe("");
  expect(redaction([])(requestOf("jane: no JSON")).body).toBe("jane: no JSON");
  expect(() => redaction(["customer.email"])).toThrow(
    /^--redact must be the path of a value in a request, not 'customer.email'\./,
  );
});

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const inside = JSON.stringify(JSON.stringify({ customer: { email: "jane@shop.example" }, id: 7 }));

const jane = encodeURIComponent('{"email":"jane@shop.example","id":7}');

test.each<[what: string, place: string, body: string, headers?: Record<string, string>, path?: string]>([
  ["JSON that is sent as a form", "body.c.email", '{"c":{"email":"jane@shop.example"},"id":7}', FORM],
  ["a field name in brackets", "body.c.email", "id=7&c[email]=jane%40shop.example", FORM],
  ["a field name in encoded brackets", "body.c.*", "c%5Bemail%5D=jane%40shop.example&id=7", FORM],
  ["a list in a form", "body.emails.*", "id=7&emails[]=jane%40shop.example", FORM],
  ["a field name with dots", "body.c.email", "c.email=jane%40shop.example&id=7", FORM],
  ["a JSON key with dots", "body.c.email", '{"c.email":"jane@shop.example","id":7}'],
  ["JSON in a string", "body.payload.customer.email", `{"payload":${inside}}`],
  ["JSON in a string inside a list", "body.0.customer.email", `[${inside}]`],
  ["JSON in a form field", "body.payload.email", `payload=${jane}`, FORM],
  ["a query parameter", "query.email", "", {}, "/webhooks?email=jane%40shop.example&id=7"],
  ["JSON in a query parameter", "query.data.email", "", {}, `/webhooks?data=${jane}`],
])(
  "--redact finds %s and leaves everything else unchanged",
  (_, place, body, headers, path = "/webhooks") => {
    const redaction = createRedaction([place]);
    const { request: stored, missed } = redaction.redact({ ...requestOf(body, headers), path });
    const text = decodeURIComponent(stored.path + stored.body);
    expect(text).not.toContain("jane");
    expect(text).toMatch(/u\w{12}@example\.com/);
    expect(text).toMatch(/\b7\b/);
    expect([missed, redaction.found()]).toEqual([[], [{ place, requests: 1 }]]);
  },
);

test("--redact counts the requests that contain a value at each given path, and reports the places missing from a request", () => {
  const places = ["body.customer.email", "header.X-Customer", "query.email"];
  const redaction = createRedaction(places);
  const missed = [
    requestOf('{"customer":{"email":"jane@shop.example"}}', { "x-customer": "Jane" }),
    requestOf("no JSON"),
    requestOf('{"data":{"customer":{"email":"jane@shop.example"}}}'),
    requestOf('{"customer":{"email":null},"customer.email":"jane@shop.example"}'),
  ].map((request) => redaction.redact(request).missed);
  expect(missed).toEqual([["query.email"], ["header.X-Customer"], ["body.customer.email"], []]);
  expect(redaction.found().map(({ requests }) => requests)).toEqual([2, 1, 0]);
});

test("redacting any JSON leaves valid JSON with all other values unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (rest, secret) => {
      const body = JSON.stringify({ rest, list: [rest, { secret }], secret });
      const redacted = JSON.parse(redaction(["body.list.*.secret", "body.secret"])(requestOf(body)).body);
      const expected = JSON.parse(body);
      expect(redacted.list[1].secret).toBe(redacted.secret);
      expect(redacted).toEqual({
        ...expected,
        list: [expected.list[0], redacted.list[1]],
        secret: redacted.secret,
      });
    }),
  );
});
