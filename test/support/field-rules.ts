import type { ErrorCode } from "./platform-errors.ts";
import type { Json } from "./sandbox.ts";

/** A value that a field rejects. */
export interface BadValue {
  value: unknown;
  code: ErrorCode;
  /** What the message must contain, if there is a limit. */
  says?: string | number;
  /** The path of the invalid part of the field, such as `metadata.order`, if it is not the whole field. */
  part?: string;
}

const NO_TEXT = [5, true, [], {}];

function refuse(
  values: unknown[],
  says?: string | number,
  code: ErrorCode = "invalid_field_value",
): BadValue[] {
  return values.map((value) => ({ value, code, ...(says === undefined ? {} : { says }) }));
}

/** Adds null to the rejected values, unless the field is nullable. */
const orNull = (rules: BadValue[], nullable: boolean): BadValue[] =>
  nullable ? rules : [...rules, { value: null, code: rules[0]!.code }];

interface Nullable {
  nullable?: boolean;
}

/** The values that each kind of field rejects. */
export const refused = {
  text: (max: number, { nullable = false, min = 0 }: Nullable & { min?: number } = {}) =>
    orNull(
      [
        ...refuse(NO_TEXT),
        ...refuse(["x".repeat(max + 1), "x".repeat(max * 3), "ü".repeat(max + 1)], max),
        ...(min > 0 ? refuse([""], min) : []),
        ...refuse(["half \ud83d of a pair", "\udc00"]),
      ],
      nullable,
    ),
  amount: ({ nullable = false }: Nullable = {}) =>
    orNull(
      [
        ...refuse(["1e18", "-1", "+1", "01.5", "1.0", "", " 1", "1 ", "1\n", "0x10", "1_000", "1,000"], 78),
        ...refuse(["9".repeat(79), "0".repeat(79), "007", "00", "１２", "∞", "NaN", "null"], 78),
        ...refuse([2_500_000, 0, -1, 1.5, true, [], ["1"], {}]),
      ],
      nullable,
    ),
  address: ({ nullable = false }: Nullable = {}) =>
    orNull(
      refuse(
        [
          `0x${"a".repeat(39)}`,
          `0x${"a".repeat(41)}`,
          `0x${"a".repeat(39)}g`,
          "a".repeat(40),
          "a".repeat(42),
          `0X${"a".repeat(40)}`,
          ` 0x${"a".repeat(40)}`,
          `0x${"a".repeat(40)}\n`,
          `0x${"１".repeat(40)}`,
          "0x",
          "",
          "vitalik.eth",
        ],
        40,
        "invalid_address",
      ).concat(refuse([5, true, [], {}], undefined, "invalid_address")),
      nullable,
    ),
  integer: (min: number, max: number, { nullable = false }: Nullable = {}) =>
    orNull(
      [
        ...refuse([min - 1, -1, -(2 ** 60)], min),
        ...refuse([max + (Number.isSafeInteger(max + 1) ? 1 : 2), 2 ** 60, 1e300], max),
        ...refuse([min + 0.5, String(min), "", "ten", true, [], {}, [min]]),
      ],
      nullable,
    ),
  chain: (options: Nullable = {}) => refused.integer(1, Number.MAX_SAFE_INTEGER, options),
  flag: () => refuse(["true", "false", "", 0, 1, null, [], {}]),
  instant: () =>
    refuse([
      "",
      "yesterday",
      "2026-02-30T00:00:00Z",
      "2026-13-01",
      "2026-1-1",
      "26-01-15",
      "2026-01-15T25:00:00Z",
      "2026-01-15T09:00:00 Europe/Paris",
      "+275760-09-13T00:00:00Z",
      "1969-12-31T23:59:59Z",
      "1768467600000",
      1.5,
      -1,
      1e300,
      true,
      {},
    ]),
  url: () => [
    ...refuse([
      "",
      "example.com",
      "//example.com",
      "ftp://example.com",
      "javascript:alert(1)",
      "data:text/html,hi",
      "http://",
      "https:///path",
      "https://exa mple.com",
      "https://example.com/\n",
      "https://example.com:99999",
      "https://[::1",
      5,
      true,
      [],
      {},
    ]),
    ...refuse([`https://example.com/${"x".repeat(3_000)}`], 2_048),
  ],
  email: ({ nullable = false }: Nullable = {}) =>
    orNull(
      [
        ...refuse([
          "",
          "ada",
          "ada@",
          "@example.com",
          "ada@example",
          "ada @example.com",
          "a@b@c.de",
          "a@b.c",
        ]),
        ...refuse(["ada@example.com\n", 5, true, [], {}]),
        ...refuse([`ada@${"x".repeat(260)}.com`]),
      ],
      nullable,
    ),
  metadata: (): BadValue[] => [
    ...refuse([null, "x", 5, true, [], ["a"]]),
    ...refuse([Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, "v"]))], 50),
    ...refuse([{ ["k".repeat(41)]: "v" }], `keys of 1 to 40 characters, not '${"k".repeat(41)}'.`),
    ...refuse([{ "": "my value" }], "keys of 1 to 40 characters, not ''."),
    ...refuse([{ order: "v".repeat(501) }], 500).map((rule) => ({ ...rule, part: "order" })),
    ...refuse([{ order: {} }, { order: [] }, { order: ["v"] }]).map((rule) => ({ ...rule, part: "order" })),
    ...refuse([{ order: "\ud800" }]).map((rule) => ({ ...rule, part: "order" })),
  ],
  oneOf: (...known: string[]) => [
    ...refuse(["bogus", "", known[0]!.toUpperCase(), ` ${known[0]}`], known.join(", ")),
    ...refuse([5, true, null, [], {}, [known[0]]]),
  ],
  reference: () => [
    ...refuse([5, true, [], {}, ""]),
    ...refuse(["x".repeat(65)], 64),
    ...refuse(["pl_none", "%00", "../x"], undefined, "resource_not_found"),
  ],
};

const isOf = ({ type, anyOf = [] }: Json, wanted: string): boolean =>
  type === wanted || anyOf.some((one: Json) => one.type === wanted);

/** The values that a field rejects according to its schema; undefined if the schema does not describe all rules. */
export function refusedBy(name: string, schema: Json): BadValue[] | undefined {
  const options = { nullable: isOf(schema, "null") };
  const kinds = (schema.anyOf ?? [schema]).filter(({ type }: Json) => type !== "null");
  const { type, format, minimum, maximum, minLength = 0, maxLength, pattern } = kinds[0];
  if (format === "instant") return refused.instant();
  if (kinds.length > 1) return undefined;
  if (kinds[0].enum) return refused.oneOf(...kinds[0].enum);
  if (type === "boolean") return refused.flag();
  if (type === "integer") return refused.integer(minimum, maximum, options);
  if (kinds[0].propertyNames?.maxLength !== undefined) return refused.metadata();
  if (type !== "string" || pattern !== undefined) return undefined;
  if (format === "address") return refused.address(options);
  if (format === "amount") return refused.amount(options);
  if (format === "http-url") return refused.url();
  if (format === "email") return refused.email(options);
  if (maxLength === undefined) return undefined;
  if (name.endsWith("_id") && minLength > 0) return refused.reference();
  return refused.text(maxLength, { ...options, min: minLength });
}
