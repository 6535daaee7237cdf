import fc from "fast-check";
import { expect, it } from "vitest";
import { createAnswerReader } from "../../src/trial/statements/mysql/answers.ts";
import { createPayloadReader, errorPacket, packet } from "../../src/trial/statements/mysql/packets.ts";
import { createRequestReader } from "../../src/trial/statements/mysql/requests.ts";
import type { Session } from "../../src/trial/statements/mysql/session.ts";
import { plainStatement } from "../../src/trial/statements/point.ts";
import { literalsOf, MYSQL } from "../../src/trial/statements/sql-form.ts";

const sessionOf = (deprecatesEof: boolean): Session => ({
  ...{ deprecatesEof, rollbackErrors: new Set([1213]), statements: new Map() },
  ...{ isCopying: false, areTablesLocked: false, status: 2 },
});

/** Reads the commands in a client's bytes, each in the state in which it is next in line for the database. */
function createCommandReader(session: Session) {
  const read = createRequestReader(session);
  return (bytes: Buffer) =>
    read(bytes).map((part) => {
      part.complete?.();
      return part;
    });
}

/** Splits a stream into pieces of any size. */
const inPieces = (bytes: Buffer, sizes: readonly number[]): Buffer[] => {
  const pieces: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length]!;
    pieces.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return pieces;
};
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });

const int16 = (value: number): number[] => [value & 255, value >> 8];
const int32 = (value: number): number[] => [...int16(value & 0xff_ff), ...int16(value >>> 16)];
const command = (code: number, rest: Buffer | string | number[] = ""): Buffer =>
  packet(0, Buffer.concat([Buffer.from([code]), Buffer.from(rest as Buffer)]));

const IN_TRANSACTION = 1;
const MORE = 8;
const CURSOR = 64;

/** Writes the packets of a server's response as MariaDB does. */
function writeAnswers(deprecatesEof: boolean) {
  let number = 0;
  const next = (bytes: number[] | Buffer): Buffer => {
    number += 1;
    return packet(number, Buffer.from(bytes));
  };
  const ok = (status: number, affected = 0, info = ""): Buffer =>
    next([0, affected, 0, ...int16(status), 0, 0, ...Buffer.from(info)]);
  const eof = (status: number): Buffer =>
    next(deprecatesEof ? [0xfe, 0, 0, ...int16(status), 0, 0] : [0xfe, 0, 0, ...int16(status)]);
  const divider = (status = 2): Buffer[] => (deprecatesEof ? [] : [eof(status)]);
  const definition = (): Buffer => next(Buffer.from("\u0003def\0\u0001t"));
  const rows = (texts: readonly string[]): Buffer[] =>
    texts.map((text) => next([text.length, ...Buffer.from(text)]));
  return {
    ok,
    error: (code: number) => errorPacket(1, code, "HY000", "no"),
    result: (texts: readonly string[], status: number) => [
      ...[next([1]), definition(), ...divider(), ...rows(texts), eof(status)],
    ],
    cursor: (status: number) =>
      deprecatesEof
        ? [next([1]), definition(), eof(status | CURSOR)]
        : [next([1]), definition(), eof(status | CURSOR)],
    fetched: (texts: readonly string[], status: number) => [...rows(texts), eof(status)],
    prepared: (id: number, parameters: number, columns: number) => [
      next([0, ...int32(id), ...int16(columns), ...int16(parameters), 0, 0, 0]),
      ...(parameters > 0 ? [...Array.from({ length: parameters }, definition), ...divider()] : []),
      ...(columns > 0 ? [...Array.from({ length: columns }, definition), ...divider()] : []),
    ],
  };
}

interface Step {
  name: string;
  request: Buffer;
  sql: string | undefined;
  /** The packets of the response; none for a command that has no response. */
  answer: Buffer[];
  result: string | undefined;
  status: number;
}

const row = fc.string({ maxLength: 20, unit: "grapheme-ascii" });
const statusOf = (isOpen: boolean): number => 2 | (isOpen ? IN_TRANSACTION : 0);

/**
 * The steps of a conversation: a client's request, the server's response, and how both must be interpreted. Each step
 * prepares its own statement, because the previous one may have closed it.
 */
const stepsFor = (deprecatesEof: boolean) => {
  const write = () => writeAnswers(deprecatesEof);
  return fc.oneof(
    fc.tuple(fc.array(row, { maxLength: 4 }), fc.boolean()).map(([rows, isOpen]): Step[] => [
      {
        ...{ name: "rows", request: command(3, "select a from t"), sql: "select a from t" },
        answer: write().result(rows, statusOf(isOpen)),
        ...{ result: `SELECT ${rows.length}`, status: statusOf(isOpen) },
      },
    ]),
    fc.tuple(fc.nat(9), fc.boolean()).map(([affected, isOpen]): Step[] => [
      {
        ...{
          name: "write",
          request: command(3, "insert into t values (1)"),
          sql: "insert into t values (1)",
        },
        answer: [write().ok(statusOf(isOpen), affected)],
        ...{ result: `INSERT 0 ${affected}`, status: statusOf(isOpen) },
      },
    ]),
    fc.nat(9).map((matched): Step[] => [
      {
        ...{ name: "matched", request: command(3, "update t set a = 1"), sql: "update t set a = 1" },
        answer: [write().ok(2, 0, `\u0028Rows matched: ${matched}  Changed: 0  Warnings: 0`)],
        ...{ result: `UPDATE ${matched}`, status: 2 },
      },
    ]),
    fc.array(row, { maxLength: 3 }).map((rows): Step[] => {
      const sql = "select 1; delete from t where a = 'x;y'";
      const answers = write();
      return [
        {
          ...{ name: "several results", request: command(3, sql), sql },
          answer: [...answers.result(rows, 2 | MORE), answers.ok(2, 3)],
          ...{ result: "DELETE 3", status: 2 },
        },
      ];
    }),
    fc.constantFrom(1062, 1213).map((code): Step[] => [
      {
        ...{
          name: "error",
          request: command(3, "insert into t values (1)"),
          sql: "insert into t values (1)",
        },
        answer: [write().error(code)],
        ...{ result: String(code), status: Number.NaN },
      },
    ]),
    fc.tuple(fc.array(row, { maxLength: 3 }), fc.boolean()).map(([rows, isLatest]): Step[] => {
      const id = isLatest ? 0xff_ff_ff_ff : 7;
      const executes = { sql: "select a from t where a = ?", status: 2 };
      const request = command(0x17, [...int32(id), 0, 1, 0, 0, 0, 0, 1, 253, 0, 1, 120]);
      return [
        ...PREPARES(write().prepared(7, 1, 1), executes.sql),
        {
          ...{ name: "prepared", request, ...executes, answer: write().result(rows, 2) },
          result: `SELECT ${rows.length}`,
        },
      ];
    }),
    fc.array(row, { maxLength: 3 }).map((rows): Step[] => {
      const sql = "select a from t";
      const request = command(0x17, [...int32(7), 1, 1, 0, 0, 0]);
      return [
        ...PREPARES(write().prepared(7, 0, 1), sql),
        {
          ...{ name: "cursor", request, sql, answer: write().cursor(2) },
          ...{ result: "SELECT 0", status: 2 | CURSOR },
        },
        {
          ...{ name: "fetch", request: command(0x1c, [...int32(7), ...int32(9)]), sql: undefined },
          ...{ answer: write().fetched(rows, 2), result: undefined, status: 2 },
        },
        { ...NOTHING, name: "close", request: command(0x19, int32(7)) },
      ];
    }),
    fc.constant([{ ...NOTHING, name: "ping", request: command(0x0e), answer: [write().ok(2)], status: 2 }]),
  );
};
const NOTHING = { sql: undefined, answer: [], result: undefined, status: Number.NaN };
const PREPARES = (answer: Buffer[], sql: string): Step[] => [
  { ...NOTHING, name: "prepare", request: command(0x16, sql), answer },
];

it("the MySQL proxy reads the same statements and results and loses no byte, no matter how the data is split", () => {
  const seen: Record<string, number> = {};
  fc.assert(
    fc.property(
      fc.boolean().chain((deprecates) =>
        fc.record({
          deprecates: fc.constant(deprecates),
          groups: fc.array(stepsFor(deprecates), { maxLength: 6 }),
        }),
      ),
      sizes,
      ({ deprecates, groups }, pieces) => {
        const session = sessionOf(deprecates);
        const read = createCommandReader(session);
        const { expect: awaiting, readAnswer } = createAnswerReader(session);
        let status = 2;
        for (const { name, request, sql, answer, result, ...step } of groups.flat()) {
          const parts = inPieces(request, pieces).flatMap(read);
          expect(Buffer.concat(parts.flatMap((part) => part.bytes))).toEqual(request);
          expect(parts.map((part) => part.sql)).toEqual([sql]);
          const [part] = parts;
          expect(part!.isAnswered).toBe(answer.length > 0);
          if (answer.length === 0) continue;
          awaiting(part!, false);
          const bytes = Buffer.concat(answer);
          const found = inPieces(bytes, pieces).flatMap(readAnswer);
          expect(Buffer.concat(found.map((one) => one.bytes))).toEqual(bytes);
          const ends = found.flatMap(({ ready }) => ready ?? []);
          expect(ends.length, name).toBe(1);
          expect(found.at(-1)!.ready, name).toBe(ends[0]);
          expect(found.at(-1)!.result, name).toBe(result);
          if (!Number.isNaN(step.status)) status = step.status;
          // A deadlock rolls back the transaction, but no packet says so.
          else if (result === "1213") status &= ~IN_TRANSACTION;
          expect(ends[0]!.inTransaction, name).toBe((status & IN_TRANSACTION) > 0);
          seen[name] = (seen[name] ?? 0) + 1;
        }
      },
    ),
    { numRuns: 300 },
  );
  const names = [
    "rows",
    "write",
    "matched",
    "several results",
    "error",
    "prepared",
    "cursor",
    "fetch",
    "ping",
  ];
  for (const name of names) expect(seen[name], name).toBeGreaterThan(50);
});

it("the proxy forwards a LOAD DATA LOCAL file without waiting, and accepts the next command afterwards", () => {
  const session = sessionOf(true);
  const read = createCommandReader(session);
  const { expect: awaiting, readAnswer } = createAnswerReader(session);
  const [load] = read(command(3, "load data local infile 'a.csv' into table t"));
  awaiting(load!, false);
  const asked = readAnswer(packet(1, Buffer.from("\u00fba.csv", "latin1")));
  expect(asked).toEqual([expect.objectContaining({ isRequest: true })]);
  // The file's packets are numbered from 2 to 255, and then start again at 0.
  const file = Array.from({ length: 300 }, (_, index) => packet((index + 2) % 256, Buffer.from("1\n")));
  const sent = [...file, packet(302 % 256, Buffer.alloc(0))].flatMap(read);
  expect(sent.map(({ isMore }) => isMore)).toEqual(Array(301).fill(true));
  const [end] = readAnswer(writeAnswers(true).ok(2, 250));
  expect(end).toMatchObject({ ready: { inTransaction: false }, result: "LOAD 250" });
  expect(read(command(3, "select 1")).map(({ isMore, sql }) => [isMore, sql])).toEqual([[false, "select 1"]]);
});

it("the proxy joins commands larger than 16 MB, and counts a row of that size once", () => {
  const session = sessionOf(true);
  const read = createCommandReader(session);
  const sql = `select '${"x".repeat(0xff_ff_ff)}'`;
  const payload = Buffer.from(`\u0003${sql}`);
  const sent = Buffer.concat([
    packet(0, payload.subarray(0, 0xff_ff_ff)),
    packet(1, payload.subarray(0xff_ff_ff)),
  ]);
  const [part, ...more] = inPieces(sent, [4_000_000]).flatMap(read);
  expect(more).toEqual([]);
  expect([part!.sql === sql, part!.number]).toEqual([true, 2]);
  const { expect: awaiting, readAnswer } = createAnswerReader(session);
  awaiting(part!, false);
  // If a row is large enough, its first byte may be the same as that of the final packet.
  const large = Buffer.alloc(0xff_ff_ff, 0xfe);
  const answer = Buffer.concat([
    packet(2, Buffer.from([1])),
    packet(3, Buffer.from("\u0003def")),
    packet(4, large),
    packet(5, Buffer.from([0xfe, 0, 0, 2, 0])),
    packet(6, Buffer.from([0xfe, 0, 0, 2, 0, 0, 0])),
  ]);
  const found = inPieces(answer, [5_000_000]).flatMap(readAnswer);
  expect(found.flatMap(({ result }) => result ?? [])).toEqual(["SELECT 1"]);
  expect(createPayloadReader()(answer)).toHaveLength(4);
});

const bytesOf = (size: number, write: (buffer: Buffer) => unknown): Buffer => {
  const buffer = Buffer.alloc(size);
  write(buffer);
  return buffer;
};
const lengthed = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([bytes.length]), bytes]);
const VALUE = fc.oneof(
  fc.string({ maxLength: 60 }).map((text) => ({ text, type: [253, 0], bytes: lengthed(Buffer.from(text)) })),
  fc.integer({ min: -128, max: 127 }).map((one) => ({
    ...{ text: `${one}`, type: [1, 0], bytes: bytesOf(1, (buffer) => buffer.writeInt8(one)) },
  })),
  fc.integer({ min: 0, max: 0xff_ff }).map((one) => ({
    ...{ text: `${one}`, type: [2, 128], bytes: bytesOf(2, (buffer) => buffer.writeUInt16LE(one)) },
  })),
  fc.integer().map((one) => ({
    ...{ text: `${one}`, type: [3, 0], bytes: bytesOf(4, (buffer) => buffer.writeInt32LE(one)) },
  })),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((one) => ({
    ...{ text: `${one}`, type: [8, 128], bytes: bytesOf(8, (buffer) => buffer.writeBigUInt64LE(one)) },
  })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => ({
    ...{ text: `${one}`, type: [5, 0], bytes: bytesOf(8, (buffer) => buffer.writeDoubleLE(one)) },
  })),
  fc.uuid().map((text) => ({
    ...{ text, type: [252, 0], bytes: lengthed(Buffer.from(text.replaceAll("-", ""), "hex")) },
  })),
  fc.constant({
    ...{ text: "2026-11-29 05:20:07.000012", type: [12, 0] },
    bytes: Buffer.from([11, ...int16(2026), 11, 29, 5, 20, 7, 12, 0, 0, 0]),
  }),
  fc.constant({ text: "-26:03:04", type: [11, 0], bytes: Buffer.from([8, 1, 1, 0, 0, 0, 2, 3, 4]) }),
  fc.constant({ text: null, type: [6, 0], bytes: Buffer.alloc(0) }),
  fc.constant({ text: "in two pieces", type: [252, 0], bytes: null }),
);

it("the MySQL proxy reads prepared values, including long data in chunks and types that are sent once", () => {
  const seen = { null: 0, long: 0, again: 0 };
  fc.assert(
    fc.property(fc.array(VALUE, { minLength: 1, maxLength: 5 }), fc.boolean(), (values, isAgain) => {
      const session = sessionOf(true);
      const read = createCommandReader(session);
      const sql = `select 1 from t where ${values.map(() => "a = ?").join(" and ")}`;
      session.statements.set(9, { sql, count: values.length });
      const nulls = Buffer.alloc((values.length + 7) >> 3);
      for (const [index, { text }] of values.entries())
        if (text === null) nulls[index >> 3]! |= 1 << (index & 7);
      const data = Buffer.concat(values.map(({ bytes }) => bytes ?? Buffer.alloc(0)));
      const execute = (types: number[]) =>
        command(
          0x17,
          Buffer.concat([Buffer.from([...int32(9), 0, 1, 0, 0, 0]), nulls, Buffer.from(types), data]),
        );
      const pieces = () =>
        values.flatMap(({ bytes }, index) =>
          bytes === null
            ? ["in two ", "pieces"].map((text) =>
                command(
                  0x18,
                  Buffer.concat([Buffer.from([...int32(9), ...int16(index)]), Buffer.from(text)]),
                ),
              )
            : [],
        );
      const types = [1, ...values.flatMap(({ type }) => type)];
      const sent = [...pieces(), execute(types), ...(isAgain ? [...pieces(), execute([0])] : [])];
      const parts = sent.flatMap(read);
      for (const part of parts) {
        if (part.sql === undefined) continue;
        const found = part.values();
        expect(found.length).toBe(values.length);
        for (const [index, { text }] of values.entries())
          if (text === null) expect(found[index]).toBeNull();
          else expect(found[index]).toContain(text);
      }
      seen.null += Number(values.some(({ text }) => text === null));
      seen.long += Number(values.some(({ bytes }) => bytes === null));
      seen.again += Number(isAgain);
    }),
  );
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(10);
});

it("the MySQL proxy reads the first row of a MariaDB bulk insert", () => {
  const session = sessionOf(true);
  session.statements.set(9, { sql: "insert into t values (?, ?)", count: 2 });
  const [part] = createCommandReader(session)(
    command(0xfa, [...int32(9), 128, 0, 253, 0, 3, 0, 0, 1, 97, 1, 0, 1, 98, 0, ...int32(5)]),
  );
  expect([part!.sql, part!.values()]).toEqual(["insert into t values (?, ?)", [["a"], null]]);
});

it.each([
  [
    "SELECT *\n  FROM `t` -- all\n WHERE id = 'it\\'s' AND n = 12;",
    "SELECT * FROM `t` WHERE id = ? AND n = ?",
  ],
  ["select \"it\"\"s\", x'0f', _utf8mb4'é' # rest", "select ?, ?, ?"],
  ["select 5--1, 0x1F, 1.5e3 from t1", "select ?--?, ?, ? from t1"],
])("a MySQL statement has the same name whatever its literals are: %s", (sql, plain) => {
  expect(plainStatement(sql, MYSQL)).toBe(plain);
});

it("the MySQL proxy reads each escaped literal, with any number of quotes and backslashes", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "'", '"', "\\", "`", "\n", "é") });
  let escaped = 0;
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
      const written = texts.map((one) =>
        one.includes("\n")
          ? `'${one.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`
          : `"${one.replaceAll("\\", "\\\\").replaceAll('"', '""')}"`,
      );
      const sql = `select \`a'b\`, ${["0", ...written].join(", ")}`;
      expect(literalsOf(sql, MYSQL)).toEqual(["0", ...texts]);
      if (texts.some((one) => /['"\\]/.test(one))) escaped += 1;
    }),
  );
  expect(escaped).toBeGreaterThan(50);
});
