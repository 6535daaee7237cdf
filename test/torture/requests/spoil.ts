import { gzipSync } from "node:zlib";
import type { Chance } from "../chance.ts";
import type { Draft } from "./draft.ts";
import type { Values } from "./values.ts";

/**
 * A way to spoil a request. The result says whether it is still one complete HTTP request ("content") or not
 * ("framing").
 */
type Spoil = (draft: Draft, chance: Chance, values: Values) => "content" | "framing";

const content =
  (work: (draft: Draft, chance: Chance, values: Values) => void): Spoil =>
  (...args) => {
    work(...args);
    return "content";
  };

const framing =
  (work: (draft: Draft, chance: Chance, values: Values) => void): Spoil =>
  (...args) => {
    work(...args);
    return "framing";
  };

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const STRANGE_METHODS = ["TRACE", "CONNECT", "PROPFIND", "QUERY", "get", "BREW", "PRI", ""];
const PATH_ENDS = [
  "/",
  "//",
  "/..",
  "/../..",
  "/%2e%2e",
  "/%00",
  "/%ff",
  "/%",
  "/\u00e9",
  ";a=b",
  "#x",
  "?",
  "?a[]=1&a=2",
];
const TYPES = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "a",
  "/",
  "application/json; charset=utf-16",
];
const BODIES: readonly (Buffer | string)[] = [
  ...[
    "",
    " ",
    "null",
    "[]",
    "1",
    '"a"',
    "{",
    "{}}",
    '{"a":1,}',
    "{'a':1}",
    "\ufeff{}",
    '{"a":1e400}',
    '{"a":-1e-400}',
  ],
  ...[
    '{"name":"\\ud800"}',
    '{"\\udc00":1}',
    '{"name":"a","name":"b"}',
    '{"__proto__":{"x":1}}',
    '{"constructor":1}',
  ],
  ...[
    `${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`,
    `{"a":${"[".repeat(3_000)}${"]".repeat(3_000)}}`,
    `{"amount":${"9".repeat(400)}}`,
  ],
  ...[
    Buffer.from([0xff, 0xfe, 0x7b]),
    Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
    gzipSync("{}"),
  ],
];

const SPOILS: readonly Spoil[] = [
  content((draft, chance) => {
    draft.method = chance.pick(METHODS);
  }),
  content((draft) => {
    draft.method = "HEAD";
  }),
  content((draft, chance) => {
    draft.target += chance.pick(PATH_ENDS);
  }),
  content((draft, chance) => {
    const at = chance.below(draft.target.length);
    draft.target = `/${draft.target.slice(1, at)}${chance.pick(["/", "//", "%2f", "%5c", "%00", "~", "%f0%9f"])}${draft.target.slice(at)}`;
  }),
  content((draft, chance) => {
    draft.target += `?${chance.pick(["x", "limit", "page", "after"])}=${"9".repeat(chance.pick([1, 20, 2_000, 9_000]))}`;
  }),
  content((draft, chance) => {
    draft.target = `/w/${chance.pick(["", "nosuch", "%00", "..", "a".repeat(300), "default"])}${draft.target}`;
  }),
  content((draft, chance) => {
    draft.headers = draft.headers.filter(([name]) => name === "Host" || chance.maybe(0.3));
  }),
  content((draft, chance) => {
    draft.headers = draft.headers.filter(([name]) => name !== "Content-Type");
    draft.headers.push(["Content-Type", chance.pick(TYPES)]);
  }),
  content((draft, chance) => {
    const name = chance.pick([
      "Idempotency-Key",
      "Authorization",
      "X-API-Key",
      "X-Request-Nonce",
      "Origin",
      "Last-Event-ID",
    ]);
    const value = chance.pick([
      "",
      "Bearer",
      "\u00ff\u00fe",
      "a".repeat(300),
      "a,b",
      "Bearer a b",
      "null",
      "{}",
    ]);
    draft.headers.push([name, value]);
  }),
  content((draft, chance) => {
    draft.headers.push(["X-Long", "x".repeat(chance.pick([1_000, 8_000]))]);
  }),
  content((draft, chance) => {
    draft.headers.push(["Idempotency-Key", chance.pick(["a", "b", "c"])]);
  }),
  content((draft, chance) => {
    draft.body = Buffer.from(chance.pick(BODIES));
  }),
  content((draft, chance) => {
    if (draft.body) draft.body = draft.body.subarray(0, chance.below(draft.body.length + 1));
  }),
  content((draft, chance) => {
    if (draft.body && draft.body.length > 0) draft.body[chance.below(draft.body.length)] = chance.below(256);
  }),
  content((draft, _chance, values) => {
    draft.body = Buffer.from(JSON.stringify(values.hostile()) ?? "");
  }),
  content((draft) => {
    if (draft.body) draft.headers.push(["Content-Encoding", "gzip"]);
  }),
  content((draft) => {
    draft.headers.push(["Expect", "100-continue"]);
  }),
  framing((draft, chance) => {
    draft.method = chance.pick(STRANGE_METHODS);
  }),
  framing((draft, chance) => {
    draft.headers.push(["Connection", chance.pick(["close", "keep-alive, x", "upgrade"])]);
  }),
  framing((draft, chance) => {
    draft.headers = draft.headers.filter(([name]) => name !== "Host");
    if (chance.maybe(0.5))
      draft.headers.push(["Host", chance.pick(["", "example.com", "a b", "127.0.0.1:x", "[::"])]);
  }),
  framing((draft, chance) => {
    draft.headers.push([
      chance.pick(["X Y", "", "X\u0000", "\u00e9", "Expect"]),
      chance.pick(["a\u0000b", "\u0007", "x", ""]),
    ]);
  }),
  framing((draft) => {
    draft.headers.push(["X-Long", "x".repeat(40_000)]);
  }),
  framing((draft, chance) => {
    if (chance.maybe(0.05)) draft.body = Buffer.alloc(1_100_000, "x");
  }),
];

/** Spoils a request in one or two ways. */
export function spoilDraft(draft: Draft, chance: Chance, values: Values): "content" | "framing" {
  const first = chance.pick(SPOILS)(draft, chance, values);
  const second = chance.maybe(0.3) ? chance.pick(SPOILS)(draft, chance, values) : "content";
  return first === "framing" ? first : second;
}
