/** Postgres protocol messages written by the proxy, and the frames that messages consist of. */

import type { Part } from "../wire.ts";

/** The bytes of a frame before its content. */
export const HEADER = 5;
export const ENCRYPTION_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export function startupMessage(version: number, parameters: ReadonlyMap<string, string>): Buffer {
  const words = Buffer.from(`${[...parameters].map(([name, value]) => `${name}\0${value}\0`).join("")}\0`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + words.length, 0);
  head.writeUInt32BE(version, 4);
  return Buffer.concat([head, words]);
}

const ownPart = (bytes: Buffer): Part => ({
  ...{ bytes: [bytes], sql: undefined, values: () => [], isAnswered: true, isMore: false },
});

export const queryPart = (sql: string): Part => ownPart(frameOf("Q", `${sql}\0`));

/**
 * One of the proxy's own statements between those of a client. It is named, because an unnamed one, or a simple query, would
 * destroy the client's unnamed statement.
 * @param closing names of prepared statements that the database should forget
 */
export function controlPart(sql: string, closing: readonly string[] = []): Part {
  const own = "sandglass";
  return ownPart(
    Buffer.concat([
      ...[own, ...closing].map((name) => frameOf("C", `S${name}\0`)),
      frameOf("P", `${own}\0${sql}\0\0\0`),
      frameOf("B", `\0${own}\0\0\0\0\0\0\0`),
      frameOf("E", `\0\0\0\0\0`),
      frameOf("S", ""),
    ]),
  );
}

function frameOf(type: string, text: string): Buffer {
  const content = Buffer.from(text);
  const head = Buffer.alloc(HEADER);
  head.write(type, 0, "latin1");
  head.writeUInt32BE(4 + content.length, 1);
  return Buffer.concat([head, content]);
}

function framesIn(bytes: Buffer): { type: string; frame: Buffer }[] {
  const found = [];
  for (let [at, end] = [0, 0]; at < bytes.length; at = end) {
    end = at + 1 + bytes.readUInt32BE(at + 1);
    found.push({ type: String.fromCharCode(bytes[at]!), frame: bytes.subarray(at, end) });
  }
  return found;
}

/** The names of the statements that a client's messages prepare, except the unnamed one. */
export const preparedIn = (bytes: Buffer): string[] =>
  framesIn(bytes)
    .filter(({ type }) => type === "P")
    .map(({ frame }) => text(frame, HEADER).value)
    .filter((name) => name !== "");

/**
 * The response to a statement that ran in one of the proxy's transactions, as it would have been without the
 * transaction.
 * @param answer the response to the statement
 * @param ending the response to the commit, whose error replaces the statement's result
 */
export function answerOutside(answer: Buffer, ending: Buffer): Buffer {
  const ended = framesIn(ending);
  const error = ended.filter(({ type }) => type === "E");
  return Buffer.concat(
    [
      ...framesIn(answer).filter(({ type }) => type !== "Z" && !(type === "C" && error.length > 0)),
      ...error,
      // Notices and notifications, and the resulting state.
      ...ended.filter(({ type }) => "ANSZ".includes(type)),
    ].map(({ frame }) => frame),
  );
}

/** A string in a frame, and where it ends. */
export function text(frame: Buffer, from: number): { value: string; next: number } {
  const end = frame.indexOf(0, from);
  return { value: frame.toString("utf8", from, end < 0 ? frame.length : end), next: end + 1 };
}
