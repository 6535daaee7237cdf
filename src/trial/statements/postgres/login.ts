import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as tlsConnect } from "node:tls";
import { closeTogether, forward } from "../forward.ts";
import type { Door, Entrance } from "../wire.ts";
import { createAnswerReader, createPartReader, readFirst } from "./frames.ts";
import { ENCRYPTION_REQUEST, startupMessage } from "./messages.ts";

export interface Target {
  /** Where the database listens: a host and port, or a socket. */
  place: { host: string; port: number } | { path: string };
  database: string;
  /** How the connection is encrypted; undefined if it is not encrypted. */
  tls: ConnectionOptions | undefined;
}

/** A client may ask once for TLS and once for GSSAPI. Like Postgres, close connections that ask again. */
const MOST_REFUSALS = 2;

/**
 * Reads a client's first messages, and forwards its login. @throws Error for another kind of client, or if the database
 * is unreachable
 */
export async function enterPostgres(
  client: Socket,
  door: Door,
  target: Target,
): Promise<Entrance | undefined> {
  const { message, bytes, rest } = await readRequest(client, door);
  if (message.kind === "cancel") {
    if (!door.isOwn(message.pid)) return undefined;
    const canceling = connect(target.place).on("error", () => undefined);
    canceling.end(bytes);
    await new Promise((resolve) => canceling.once("close", resolve));
    return undefined;
  }
  const { parameters, version } = message;
  if (!door.admits(parameters.get("database") ?? "")) return undefined;
  parameters.set("database", target.database);
  const database = await reach(target);
  closeTogether(client, database);
  database.write(startupMessage(version, parameters));
  if (rest.length > 0) database.write(rest);
  return logIn(client, database, door);
}

type Request = Exclude<NonNullable<ReturnType<typeof readFirst>>["message"], { kind: "encryption" }>;

/** Reads a client's request, and declines encryption: clients that merely prefer it continue without it. */
function readRequest(
  client: Socket,
  { noteTls }: Door,
): Promise<{ message: Request; bytes: Buffer; rest: Buffer }> {
  let first = Buffer.alloc(0);
  let refusals = 0;
  return new Promise((resolve, reject) => {
    client.once("close", () => reject(new Error("closed")));
    client.on("data", function read(chunk: Buffer) {
      first = Buffer.concat([first, chunk]);
      try {
        for (let found = readFirst(first); found; found = readFirst(first)) {
          const { message, length } = found;
          const bytes = first.subarray(0, length);
          first = first.subarray(length);
          if (message.kind !== "encryption") {
            client.off("data", read).pause();
            return resolve({ message, bytes, rest: first });
          }
          refusals += 1;
          if (refusals > MOST_REFUSALS) throw new Error("asks for encryption again");
          noteTls();
          client.write("N");
        }
      } catch (error) {
        client.off("data", read);
        reject(error);
      }
    });
  });
}

/** Forwards both sides' bytes until the database is ready. */
function logIn(client: Socket, database: Socket, { touch }: Door): Promise<Entrance> {
  const readAnswer = createAnswerReader();
  let pid = 0;
  return new Promise((resolve, reject) => {
    const send = (chunk: Buffer): void => forward(database, [chunk], client);
    client.on("data", send);
    const end = (): unknown => database.end();
    client.once("end", end);
    database.once("close", () => reject(new Error("closed")));
    database.on("data", function read(chunk: Buffer) {
      touch();
      for (const { bytes, ready, ...told } of readAnswer(chunk)) {
        pid = told.pid ?? pid;
        forward(client, [bytes], database);
        if (!ready) continue;
        client.off("data", send).off("end", end).pause();
        database.off("data", read).pause();
        const reader = { readParts: createPartReader(), readAnswer };
        return resolve({ database, pid, reader, ready });
      }
    });
    client.resume();
  });
}

/** Connects to the database. @throws Error if the database refuses encryption */
async function reach({ place, tls }: Target): Promise<Socket> {
  const socket = connect({ ...place, noDelay: true, allowHalfOpen: true });
  if (!tls) return socket;
  socket.write(ENCRYPTION_REQUEST);
  const [answer] = await once(socket, "data");
  if (String(answer) !== "S") throw new Error("no encryption");
  return tlsConnect({ ...tls, socket });
}
