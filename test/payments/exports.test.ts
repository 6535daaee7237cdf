import { beforeAll, expect, test } from "vitest";
import { fillHistory } from "../support/history.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

/** Parses CSV according to RFC 4180: lines end with CRLF. */
function readCsv(text: string): string[][] {
  expect(text.endsWith("\r\n")).toBe(true);
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === "\r\n") rows.push([]);
  }
  expect(rows.pop()).toEqual([]);
  return rows;
}

function records(text: string): Record<string, string>[] {
  const [head, ...rows] = readCsv(text);
  return rows.map((row) => {
    expect(row).toHaveLength(head!.length);
    return Object.fromEntries(head!.map((name, index) => [name, row[index]!]));
  });
}

const payer = (hex: string) => ({ sender_address: `0x${hex.repeat(20)}` });

const sandbox = sharedSandbox();
let first: Json;
let second: Json;
let third: Json;
beforeAll(async () => {
  const link = await sandbox.createLink({ amount: "2500000" });
  const pay = async (fields: Record<string, unknown>) =>
    (await sandbox.pay({ payment_link_id: link.id, ...fields })).transaction;
  first = await pay({
    ...payer("a1"),
    customer_name: 'Ada "Countess", L.\r\nByron',
    customer_email: "ada@example.com",
  });
  await sandbox.advance("1h");
  second = await pay({ ...payer("a2"), customer_name: "=HYPERLINK(1)", outcome: "failed" });
  await sandbox.advance("1h");
  third = await pay({ ...payer("a3"), customer_name: "Žofie 🍵" });
});

test("an export of transactions is a CSV file, newest first, with the list's fields [fidelity: Shapes of published clients › Exports]", async () => {
  const answer = await sandbox.api("GET", "/transactions/export", { key: sandbox.keys.read });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(answer.headers.get("content-disposition")).toBe(
    'attachment; filename="transactions-2026-01-15.csv"',
  );
  const rows = records(answer.text);
  expect(rows.map((row) => row.id)).toEqual([third.id, second.id, first.id]);
  expect(rows[2]).toMatchObject({
    status: "completed",
    amount: "2500000",
    chain_id: "8453",
    sender_address: payer("a1").sender_address,
    customer_id: first.customer_id,
    email: "ada@example.com",
    failure_reason: "",
    created_at: "2026-01-15T09:00:00.000Z",
  });
  expect(rows[1]).toMatchObject({ status: "failed", failure_reason: "reverted", completed_at: "" });
  const failed = records((await sandbox.api("GET", "/transactions/export?status=failed")).text);
  expect(failed.map((row) => row.id)).toEqual([second.id]);
  const empty = await sandbox.api("GET", "/transactions/export", { key: sandbox.keys.other });
  expect(records(empty.text)).toEqual([]);
});

test("an export's from and to accept ISO 8601 times and milliseconds, and both are inclusive [fidelity: Shapes of published clients › Export range]", async () => {
  const ids = async (path: string) =>
    (await sandbox.api("GET", `${path}&format=json`)).body.data.map((row: Json) => row.id);
  const at = "2026-01-15T10:00:00.000Z";
  const ms = Date.parse(at);
  for (const [query, expected] of [
    [`from=${at}`, [third, second]],
    [`from=${ms}`, [third, second]],
    [`from=${ms + 1}`, [third]],
    [`to=${at}`, [second, first]],
    [`to=${ms - 1}`, [first]],
    [`from=${at}&to=${ms}`, [second]],
    ["from=2026-01-16", []],
  ] as const) {
    expect(await ids(`/transactions/export?${query}`), query).toEqual(expected.map(({ id }) => id));
    expect(await ids(`/customers/export?${query}`), query).toEqual(expected.map((row) => row.customer_id));
  }
});

test("an export escapes quotes, commas and line breaks, and neutralizes formulas [fidelity: Shapes of published clients › Formulas in exports]", async () => {
  const { text } = await sandbox.api("GET", "/customers/export?format=csv");
  expect(records(text).map((row) => row.name)).toEqual([
    "Žofie 🍵",
    "'=HYPERLINK(1)",
    'Ada "Countess", L.\r\nByron',
  ]);
  expect(text).toContain('"Ada ""Countess"", L.\r\nByron"');
  const customer = (await sandbox.api("GET", "/customers?search=hyperlink")).body.data[0];
  for (const start of ["+", "-", "@", "\t", "\r"]) {
    await sandbox.api("PATCH", `/customers/${customer.id}`, { body: { name: `${start}1` } });
    const rows = records((await sandbox.api("GET", "/customers/export")).text);
    expect(rows[1]!.name).toBe(`'${start}1`);
  }
});

test("a JSON export contains the whole list in its envelope", async () => {
  const sandbox = await startSandbox({ seed: "sandglass" });
  for (const path of ["/transactions", "/customers"]) {
    const answer = await sandbox.api("GET", `${path}/export?format=json`);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toMatch(
      /^attachment; filename="\w+-2026-01-15\.json"$/,
    );
    const page = (await sandbox.api("GET", `${path}?limit=100`)).body;
    expect(answer.body).toMatchObject({
      object: "list",
      has_more: false,
      total_count: page.total_count,
      url: `/api/v1${path}/export`,
    });
    expect(answer.body.data).toHaveLength(page.total_count);
    expect(answer.body.data.slice(0, 100)).toEqual(page.data);
    const csv = records((await sandbox.api("GET", `${path}/export`)).text);
    expect(csv.map((row) => row.id)).toEqual(answer.body.data.map((row: Json) => row.id));
  }
});

test("an export that is read in chunks contains every row once", async () => {
  const sandbox = await startSandbox();
  await fillHistory(sandbox.sandbox, sandbox.url, 1_005);
  const { body } = await sandbox.api("GET", "/transactions/export?format=json");
  expect(body).toMatchObject({ object: "list", total_count: 1_005, has_more: false });
  const ids = body.data.map(({ id }: Json) => id);
  expect(new Set(ids).size).toBe(1_005);
  const csv = (await sandbox.api("GET", "/transactions/export?format=csv")).text;
  expect(
    csv
      .trimEnd()
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(",")[0]),
  ).toEqual(ids);
});
