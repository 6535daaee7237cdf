import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as tlsConnect } from "node:tls";
import type { MysqlAddress } from "../../database/mysql/address.ts";
import { closeTogether } from "../forward.ts";
import type { Door, Entrance } from "../wire.ts";
import { createAnswerReader } from "./answers.ts";
import { readGreeting, readResponse, responseFor } from "./greeting.ts";
import { CAN, createPayloadReader, EOF, ERROR, errorPacket, OK, type Payload, packet } from "./packets.ts";
import { createRequestReader } from "./requests.ts";
import type { MysqlPart, Session } from "./session.ts";

export interface Target extends Pick<MysqlAddress, "place" | "tls"> {
  rollbackErrors: ReadonlySet<number>;
}

/** The database's message if a client must send its password itself (caching_sha2_password). */
const FULL_LOGIN = Buffer.from([1, 4]);
const [ACCESS_DENIED, UNKNOWN_DATABASE] = [1045, 1049];

/** Lets a client log in under any account: only packet numbers and capabilities change. */
export async function enterMysql(
  client: Socket,
  door: Door,
  { place, tls, rollbackErrors }: Target,
): Promise<Entrance<MysqlPart> | undefined> {
  client.pause();
  const plain = connect({ ...place, noDelay: true, allowHalfOpen: true });
  closeTogether(client, plain);
  const greeted = createTurns(plain);
  const first = await greeted.next();
  if (first.payload[0] === ERROR) {
    client.write(first.bytes);
    return undefined;
  }
  const { thread, capabilities: able, declining, ...greeting } = readGreeting(first.payload);
  const asked = createTurns(client);
  client.write(packet(0, declining));
  client.resume();
  const response = await asked.next().catch((error) => {
    door.noteLeft();
    throw error;
  });
  const { capabilities, asksForTls, database: named, ...said } = readResponse(response.payload);
  const refuse = (after: Payload, code: number, state: string, message: string): undefined => {
    client.write(errorPacket(after.number + 1, code, state, message));
    return undefined;
  };
  if (asksForTls) {
    door.noteTls();
    return refuse(
      response,
      ACCESS_DENIED,
      "28000",
      "This address is Sandglass's proxy, which does not support TLS.",
    );
  }
  if (!door.admits(named))
    return refuse(
      response,
      UNKNOWN_DATABASE,
      "42000",
      `Sandglass's proxy serves only the database in its URL, not '${named}'.`,
    );

  if (tls && !(able & CAN.SSL)) throw new Error("no encryption");
  if (tls) greeted.stop();
  const database = tls ? await encrypt(plain, tls, response.payload) : plain;
  if (tls) closeTogether(client, database);
  const answered = tls ? createTurns(database) : greeted;
  /** If the database was asked for TLS, its packets have higher numbers. */
  const shift = tls ? 1 : 0;
  database.write(packet(1 + shift, responseFor(response.payload, tls !== undefined)));
  let { plugin } = said;
  for (;;) {
    const { number, payload } = await answered.next();
    door.touch();
    const isFull = /caching_sha2/.test(plugin) && payload.equals(FULL_LOGIN);
    if (isFull && tls)
      return refuse(
        { ...response, number: number - 1 - shift },
        ACCESS_DENIED,
        "28000",
        "The server wants this account's password in plain text. That requires TLS, which Sandglass's proxy does not support. Use the account from --state: it has already logged in, so the server knows its password.",
      );
    client.write(packet(number - shift, payload));
    if (payload[0] === ERROR) return undefined;
    if (payload[0] === OK) break;
    if (payload[0] === EOF) plugin = payload.toString("latin1", 1, payload.indexOf(0, 1));
    // The fast login has succeeded, and nothing is requested.
    if (payload[0] === 1 && payload[1] === 3) continue;
    const reply = await asked.next();
    database.write(packet(reply.number + shift, reply.payload));
  }
  asked.stop();
  answered.stop();
  const session: Session = {
    deprecatesEof: (able & capabilities & CAN.DEPRECATE_EOF) !== 0,
    ...{ rollbackErrors, statements: new Map(), isCopying: false, areTablesLocked: false },
    status: greeting.status,
  };
  const reader = { readParts: createRequestReader(session), ...createAnswerReader(session) };
  return { database, pid: thread, reader, ready: { inTransaction: false, begins: false } };
}

/** Returns the payloads that a socket sends, one after another. */
function createTurns(socket: Socket) {
  const read = createPayloadReader();
  const there: Payload[] = [];
  let isClosed = false;
  let wake = (): void => undefined;
  const take = (chunk: Buffer): void => {
    there.push(...read(chunk));
    wake();
  };
  const close = (): void => {
    isClosed = true;
    wake();
  };
  socket.on("data", take).once("end", close).once("close", close);
  return {
    /** @throws Error if the socket closes first */
    async next(): Promise<Payload> {
      while (there.length === 0) {
        if (isClosed) throw new Error("closed");
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return there.shift()!;
    },
    stop(): void {
      socket.off("data", take).off("end", close).off("close", close).pause();
    },
  };
}

/** Asks the database for TLS, using the client's own response. */
async function encrypt(plain: Socket, tls: ConnectionOptions, response: Buffer): Promise<Socket> {
  plain.write(packet(1, responseFor(response, true).subarray(0, 32)));
  const socket = tlsConnect({ ...tls, socket: plain });
  await once(socket, "secureConnect");
  return socket;
}
