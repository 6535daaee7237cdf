import { constants, createHash, generateKeyPairSync, privateDecrypt, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { readResponse } from "../../src/trial/statements/mysql/greeting.ts";
import {
  CAN,
  createPayloadReader,
  errorPacket,
  HEADER,
  packet,
  textAt,
} from "../../src/trial/statements/mysql/packets.ts";

/**
 * The part of MySQL 8 that authenticates clients with caching_sha2_password, and responds to each query with one row.
 * It is simulated because Debian only has MariaDB.
 */
export interface MysqlServer {
  port: number;
  /**
   * How often an account has logged in each way: with the cached password, or with the full password exchange.
   */
  logins: { fast: number; full: number };
  close(): Promise<void>;
}

/** The length of a TLS request in bytes. */
const TLS_REQUEST = 32;
const [QUERY, QUIT] = [3, 1];
const PLUGIN = "caching_sha2_password";
const [FAST, FULL, KEY] = [Buffer.from([1, 3]), Buffer.from([1, 4]), 2];

/** The packet that ends the definitions, and also the rows. */
const END = Buffer.from([0xfe, 0, 0, 2, 0]);

const sha256 = (...parts: Buffer[]): Buffer => createHash("sha256").update(Buffer.concat(parts)).digest();
const xor = (one: Buffer, other: Buffer): Buffer =>
  one.map((byte, index) => byte ^ other[index % other.length]!) as Buffer;

/** @param tls the certificate and key; with them, the server also accepts encrypted connections */
export async function startMysqlServer(
  password: string,
  tls?: { key: string; cert: string },
): Promise<MysqlServer> {
  const logins = { fast: 0, full: 0 };
  let isRemembered = false;
  const key = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const sockets = new Set<Socket>();

  async function serve(plain: Socket): Promise<void> {
    const nonce = randomBytes(20).map((byte) => byte & 0x7f || 1) as Buffer;
    let socket = plain;
    let next = turnsOf(socket);
    let number = 0;
    const send = (payload: Buffer): void => {
      socket.write(packet(number, payload));
      number += 1;
    };
    send(greetingOf(nonce, tls !== undefined));
    let response = await next();
    number = response.number + 1;
    if (readResponse(response.payload).asksForTls && response.payload.length === TLS_REQUEST) {
      socket = new TLSSocket(next.rest(), { isServer: true, ...tls });
      sockets.add(socket.on("error", () => undefined));
      next = turnsOf(socket);
      response = await next();
      number = response.number + 1;
    }
    const proof = response.payload.subarray(...proofIn(response.payload));
    const hash = sha256(Buffer.from(password));
    const expected = xor(hash, sha256(sha256(hash), nonce));
    if (isRemembered && proof.equals(expected)) {
      logins.fast += 1;
      send(FAST);
    } else {
      send(FULL);
      let said = await next();
      number = said.number + 1;
      if (socket === plain && said.payload[0] === KEY) {
        send(
          Buffer.concat([
            Buffer.from([1]),
            Buffer.from(key.publicKey.export({ type: "spki", format: "pem" })),
          ]),
        );
        said = await next();
        number = said.number + 1;
        const padding = constants.RSA_PKCS1_OAEP_PADDING;
        said = {
          ...said,
          payload: xor(privateDecrypt({ key: key.privateKey, padding }, said.payload), nonce),
        };
      }
      if (said.payload.toString("utf8", 0, said.payload.length - 1) !== password)
        return void socket.write(errorPacket(number, 1045, "28000", "Access denied"));
      logins.full += 1;
      isRemembered = true;
    }
    send(Buffer.from([0, 0, 0, 2, 0, 0, 0]));
    for (;;) {
      const { payload } = await next();
      if (payload[0] === QUIT) return void socket.end();
      number = 1;
      if (payload[0] !== QUERY) send(Buffer.from([0, 0, 0, 2, 0, 0, 0]));
      else {
        const names = ["def", "", "", "", "one", "one"].map(
          (text) => `${String.fromCharCode(text.length)}${text}`,
        );
        const fields = [0x0c, 63, 0, 9, 0, 0, 0, 3, 0, 0, 0, 0, 0];
        send(Buffer.from([1]));
        send(Buffer.concat([Buffer.from(names.join("")), Buffer.from(fields)]));
        send(END);
        send(Buffer.from("\u00011"));
        send(END);
      }
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    serve(socket).catch(() => socket.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    logins,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function greetingOf(nonce: Buffer, hasTls: boolean): Buffer {
  const flags =
    CAN.LONG_PASSWORD |
    CAN.CONNECT_WITH_DB |
    CAN.PROTOCOL_41 |
    CAN.SECURE_CONNECTION |
    CAN.PLUGIN_AUTH |
    CAN.PLUGIN_AUTH_LENENC |
    CAN.COMPRESS |
    CAN.QUERY_ATTRIBUTES |
    (hasTls ? CAN.SSL : 0);
  const able = Buffer.alloc(4);
  able.writeUInt32LE(flags >>> 0);
  return Buffer.concat([
    Buffer.from([10]),
    Buffer.from("8.4.3\0"),
    Buffer.from([7, 0, 0, 0]),
    nonce.subarray(0, 8),
    Buffer.from([0]),
    able.subarray(0, 2),
    Buffer.from([255, 2, 0]),
    able.subarray(2),
    Buffer.from([21]),
    Buffer.alloc(10),
    nonce.subarray(8),
    Buffer.from(`\0${PLUGIN}\0`),
  ]);
}

/** The bytes in a response that prove that the client knows the password. */
function proofIn(payload: Buffer): [from: number, to: number] {
  const { next } = textAt(payload, 32);
  return [next + 1, next + 1 + payload[next]!];
}

/** Returns the payloads that arrive on a socket one at a time. */
function turnsOf(socket: Socket) {
  const read = createPayloadReader();
  const there: ReturnType<typeof read> = [];
  let wake = (): void => undefined;
  const take = (chunk: Buffer): void => {
    // Everything after a TLS request is encrypted with TLS.
    const end = chunk.readUIntLE(0, 3) === TLS_REQUEST ? HEADER + TLS_REQUEST : chunk.length;
    there.push(...read(chunk.subarray(0, end)));
    if (end < chunk.length) early = chunk.subarray(end);
    wake();
  };
  let early: Buffer | undefined;
  socket.on("data", take).once("close", () => wake());
  async function next() {
    while (there.length === 0) {
      if (socket.destroyed) throw new Error("closed");
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return there.shift()!;
  }
  /** Returns the socket with the bytes that have not been read yet. */
  const rest = (): Duplex => {
    const duplex = new Duplex({
      read: () => undefined,
      write: (chunk, _encoding, done) => void socket.write(chunk, done),
    });
    socket.off("data", take).on("data", (chunk) => duplex.push(chunk));
    if (early) duplex.push(early);
    return duplex;
  };
  return Object.assign(next, { rest });
}
