import fc from "fast-check";
import { expect, it } from "vitest";
import { plainStatement } from "../../src/trial/statements/point.ts";
import {
  createAnswerReader,
  createPartReader,
  readFirst,
} from "../../src/trial/statements/postgres/frames.ts";
import { answerOutside, startupMessage } from "../../src/trial/statements/postgres/messages.ts";
import { raceWords } from "../../src/trial/statements/race.ts";
import type { Statement } from "../../src/trial/statements/statements.ts";

const frame = (type: string, body: Buffer | string = ""): Buffer => {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.write(type, 0, "latin1");
  head.writeUInt32BE(4 + bytes.length, 1);
  return Buffer.concat([head, bytes]);
};

/** Splits a stream into pieces of any size. */
const inPieces = (bytes: Buffer, sizes: readonly number[]): Buffer[] => {
  const pieces: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length]!;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
};
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });

const sql = fc.constantFrom("select 1", "insert into t values ($1)", "begin", "commit");
const executing = (text: string) => [
  frame("P", `s\0${text}\0\0\0`),
  frame("B", "p\0s\0\0\0\0\0\0\0"),
  frame("E", "p\0\0\0\0\0"),
];
/** What a client sends in one piece: its frames, and the statements that they execute. */
const exchange = fc.oneof(
  sql.map((text) => ({ frames: [frame("Q", `${text}\0`)], sql: [text] })),
  sql.map((text) => ({ frames: [...executing(text), frame("S")], sql: [text] })),
  sql.map((text) => ({
    frames: [...executing(text), ...executing("select 2"), frame("S")],
    sql: [`${text}; select 2`],
  })),
  // The statement is described before it is executed, as in postgres.js.
  sql.map((text) => ({
    frames: [
      frame("P", `s\0${text}\0\0\0`),
      frame("D", "Ss\0"),
      frame("H"),
      ...executing(text).slice(1),
      frame("S"),
    ],
    sql: [text],
  })),
  // A cursor from which rows are fetched twice.
  sql.map((text) => ({
    frames: [
      ...executing(text),
      frame("H"),
      frame("E", "p\0\0\0\0\0"),
      frame("H"),
      frame("C", "Pp\0"),
      frame("S"),
    ],
    sql: [text],
  })),
  // The statement is only prepared.
  sql.map((text) => ({ frames: [frame("P", `s\0${text}\0\0\0`), frame("S")], sql: [] })),
  fc.constant({
    frames: [frame("Q", "copy t from stdin\0"), frame("d", "1\n"), frame("c")],
    sql: ["copy t from stdin"],
  }),
  fc.constant({
    frames: [...executing("copy t from stdin"), frame("S"), frame("d", "1\n"), frame("c"), frame("S")],
    sql: ["copy t from stdin"],
  }),
);

it("the Postgres proxy reads the same statements and loses no byte, no matter how the client's data is split", () => {
  fc.assert(
    fc.property(fc.array(exchange, { maxLength: 8 }), sizes, (exchanges, pieces) => {
      const bytes = Buffer.concat(exchanges.flatMap(({ frames }) => frames));
      const read = createPartReader();
      const parts = inPieces(bytes, pieces).flatMap(read);
      expect(Buffer.concat(parts.flatMap((part) => part.bytes))).toEqual(bytes);
      expect(parts.flatMap((part) => part.sql ?? [])).toEqual(exchanges.flatMap((one) => one.sql));
      // Each exchange ends with a part after which the database is ready, or leaves a part unfinished.
      const answered = parts.filter(({ isAnswered, isMore }) => isAnswered && !isMore).length;
      const opened = parts.filter((part) => part.sql !== undefined && !part.isAnswered).length;
      expect(answered + opened).toBe(exchanges.length);
    }),
  );
});

it("the Postgres proxy finds the end of each response without losing any bytes, no matter how the data is split", () => {
  const row = fc.string({ maxLength: 60 }).map((text) => frame("D", text));
  const answer = fc
    .tuple(fc.array(row, { maxLength: 4 }), fc.constantFrom("I", "T", "E"))
    .map(([rows, ready]) => ({
      frames: [
        ...rows,
        ready === "E" ? frame("E", "SERROR\0C23505\0Mno\0\0") : frame("C", `SELECT ${rows.length}\0`),
        frame("Z", ready),
      ],
      ready,
      result: ready === "E" ? "23505" : `SELECT ${rows.length}`,
    }));
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 6 }), sizes, (answers, pieces) => {
      const bytes = Buffer.concat(answers.flatMap(({ frames }) => frames));
      const found = inPieces(bytes, pieces).flatMap(createAnswerReader());
      expect(Buffer.concat(found.map((one) => one.bytes))).toEqual(bytes);
      expect(found.flatMap(({ ready }) => ready?.inTransaction ?? [])).toEqual(
        answers.map(({ ready }) => ready !== "I"),
      );
      expect(found.flatMap(({ result }) => result ?? [])).toEqual(answers.map(({ result }) => result));
    }),
  );
});

it("the Postgres proxy returns a statement's rows or its commit's error after it has held the commit", () => {
  const row = fc.string({ maxLength: 60 }).map((text) => frame("D", text));
  const failure = frame("E", "SERROR\0C23505\0Mno\0\0");
  const news = frame("A", "\0\0\0\u0001news\0paid\0");
  fc.assert(
    fc.property(fc.array(row, { maxLength: 4 }), fc.boolean(), fc.boolean(), (rows, hasFailed, isHeard) => {
      const answer = [...rows, frame("C", `SELECT ${rows.length}\0`)];
      const ending = [
        frame("3"),
        hasFailed ? failure : frame("C", "COMMIT\0"),
        ...(isHeard ? [news] : []),
        frame("Z", "I"),
      ];
      expect(answerOutside(Buffer.concat([...answer, frame("Z", "T")]), Buffer.concat(ending))).toEqual(
        Buffer.concat([
          ...(hasFailed ? [...rows, failure] : answer),
          ...(isHeard ? [news] : []),
          frame("Z", "I"),
        ]),
      );
    }),
  );
});

it("the Postgres proxy reads values in text and binary format, and literals in SQL", () => {
  const bytes = (size: number, write: (buffer: Buffer) => unknown): Buffer => {
    const buffer = Buffer.alloc(size);
    write(buffer);
    return buffer;
  };
  const uuid = fc.uuid();
  const value = fc.oneof(
    fc.string().map((text) => ({ text, format: 0, bytes: Buffer.from(text) })),
    fc.string().map((text) => ({ text, format: 1, bytes: Buffer.from(text) })),
    fc.integer().map((one) => ({
      ...{ text: `${one}`, format: 1, bytes: bytes(4, (buffer) => buffer.writeInt32BE(one)) },
    })),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((one) => ({
      ...{ text: `${one}`, format: 1, bytes: bytes(8, (buffer) => buffer.writeBigInt64BE(one)) },
    })),
    uuid.map((text) => ({ text, format: 1, bytes: Buffer.from(text.replaceAll("-", ""), "hex") })),
    fc.constant({ text: null, format: 0, bytes: null }),
  );
  const int16 = (one: number) => bytes(2, (buffer) => buffer.writeInt16BE(one));
  const int32 = (one: number) => bytes(4, (buffer) => buffer.writeInt32BE(one));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 5 }), (values) => {
      const bind = frame(
        "B",
        Buffer.concat([
          Buffer.from("\0s\0"),
          ...[int16(values.length), ...values.map(({ format }) => int16(format)), int16(values.length)],
          ...values.flatMap((one) => (one.bytes ? [int32(one.bytes.length), one.bytes] : [int32(-1)])),
          int16(0),
        ]),
      );
      const sql = "select ? from t where a = $1";
      const sent = Buffer.concat([frame("P", `s\0${sql}\0\0\0`), bind, frame("E", "\0\0\0\0\0"), frame("S")]);
      const [part] = createPartReader()(sent);
      const read = part!.values();
      expect(read.length).toBe(values.length);
      for (const [index, { text }] of values.entries())
        if (text === null) expect(read[index]).toBeNull();
        else expect(read[index]).toContain(text);
    }),
  );
  const [part] = createPartReader()(frame("Q", `select 'it''s', "a" /* 'x' */ from t1 where b = 12\0`));
  expect(part!.values()).toEqual([["it's"], ["12"]]);
});

it("the proxy reads a Postgres client's first message, and rejects other protocols", () => {
  const parameters = new Map([
    ["user", "shop"],
    ["database", "a b"],
  ]);
  const bytes = startupMessage(196_608, parameters);
  expect(readFirst(bytes.subarray(0, 9))).toBeUndefined();
  expect(readFirst(bytes)).toEqual({
    message: { kind: "startup", parameters, version: 196_608 },
    length: bytes.length,
  });
  expect(() => readFirst(Buffer.from("GET / HTTP/1.1\r\n\r\n"))).toThrow("not a client of Postgres");
});

it.each([
  ["SELECT *\n  FROM t -- all\n WHERE id = 'it''s' AND n = 12;", "SELECT * FROM t WHERE id = ? AND n = ?"],
  ["insert into t1 values ($1, $12, E'a\\'b', 1.5)", "insert into t1 values ($1, $12, ?, ?)"],
  [`select "it's" /* 'x' */ from "a" where b = $x$ 'c' $x$`, `select "it's" from "a" where b = ?`],
])("a statement has the same name whatever its literals are: %s", (text, plain) => {
  expect(plainStatement(text)).toBe(plain);
});

const made = (by: 1 | 2, order: number, text: string, inTransaction = true): Statement => ({
  ...{ by, order, text, inTransaction, number: order, occurrence: 1 },
  ...{
    result: "SELECT 0",
    effects: [],
    met: null,
    isSteady: true,
    hasOwnCommit: false,
    of: "postgres" as const,
  },
});

it("explore suggests the unique index that would reject the second of two racing deliveries", () => {
  const look = 'select ? from "public"."events" e where e."id" = $1';
  const insert = "insert into events (id, at) values ($1, now())";
  const both = [
    made(1, 1, look),
    made(2, 2, look),
    made(2, 3, insert),
    made(2, 4, "commit"),
    made(1, 5, insert),
  ];
  expect(raceWords(both)).toBe(
    "Both deliveries checked before either inserted: a unique index on events(id) would refuse the second.",
  );
  // Here, the second delivery looked after the first had committed.
  const inTurn = [
    made(1, 1, look),
    made(1, 2, insert),
    made(1, 3, "commit"),
    made(2, 4, look),
    made(2, 5, insert),
  ];
  expect(raceWords(inTurn)).toBeUndefined();
});

it.each([
  [
    "insert into seen (id) select $1 where not exists (select ? from seen s where (s.id = $1 and kind = ?))",
    "a unique index on seen(id, kind) would refuse the second.",
  ],
  [
    "with new as (insert into events (id) values ($1) returning id) update totals set n = (select n from totals) + ? where exists (select from new)",
    "Both deliveries read totals before either had committed its change",
  ],
  ["insert into log (id) select id from orders where id = $1", undefined],
])("explore explains a race only for a statement that both reads and writes: %s", (text, words) => {
  const waited: Statement = { ...made(1, 1, text, false), met: "hold-commit", result: "INSERT 0 1" };
  const all = [waited, { ...waited, by: 2 as const, order: 2, met: null }];
  expect(raceWords(all) ?? "").toContain(words ?? "");
  expect(raceWords([waited, { ...all[1]!, result: "INSERT 0 0" }])).toBeUndefined();
});

const COLUMNS = ["id", "provider", '"eventId"', "e.tenant_id", '"public"."events"."ref"'];
const bareColumn = (column: string): string => column.replace(/^.*\./, "").replaceAll('"', "");

it("the suggested unique index includes all columns of a lookup, and is omitted if a column has several values", () => {
  const value = fc.constantFrom("$1", "?", "$2::text");
  const equality = fc.tuple(fc.constantFrom(...COLUMNS), value);
  const other = fc.constantFrom(
    ...[
      "lower(email) = $1",
      "at > now()",
      "deleted_at is null",
      "id = any($1)",
      "status <> ?",
      "a = $1 or b = $2",
    ],
  );
  const tail = fc.constantFrom("", " limit $3", " limit ? offset ?", " order by at", " for share");
  fc.assert(
    fc.property(
      fc.uniqueArray(equality, { minLength: 1, maxLength: 4, selector: ([column]) => column }),
      fc.option(other, { nil: undefined }),
      fc.boolean(),
      tail,
      (equalities, more, isWrapped, end) => {
        const conditions = [
          ...equalities.map(([column, one]) => `${column} = ${one}`),
          ...(more ? [more] : []),
        ];
        const written = isWrapped ? `(${conditions.join(" AND ")} and ?=?)` : conditions.join(" and ");
        const look = `select * from events e where ${written}${end}`;
        const insert = "insert into events (id) values ($1)";
        const both = [made(1, 1, look), made(2, 2, look), made(2, 3, insert), made(1, 4, insert)];
        const columns = equalities.map(([column]) => bareColumn(column)).join(", ");
        expect(raceWords(both)).toContain(
          more ? "a unique index would refuse" : `a unique index on events(${columns}) would refuse`,
        );
      },
    ),
  );
});
