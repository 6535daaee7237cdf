/// <reference path="./undici-internals.d.ts" />
import type { Socket } from "node:net";
import { buildConnector, type Dispatcher, Agent as UndiciAgent } from "undici";
import symbols from "undici/lib/core/symbols.js";

export { request } from "undici";

/** nock 15 and msw 3 patch Node's sockets. This context marks the connections that they must let through. */
export interface MockingGlobal {
  __MSW_INTERNAL_CONNECTION_CONTEXT?: { run<T>(connect: () => T): T } | undefined;
}

export type AgentOptions = UndiciAgent.Options & {
  connect?: buildConnector.BuildOptions;
  /** Creates the error for an unexpected status, which would otherwise make an assertion in undici fail. */
  statusError?: (status: number) => Error | undefined;
};

/** An HTTP/1.1 agent whose connections are not intercepted by HTTP mocking libraries in this process. */
export class Agent extends UndiciAgent {
  constructor({ connect, statusError, ...options }: AgentOptions) {
    const connector = buildConnector({ allowH2: false, ...connect });
    super({
      allowH2: false,
      ...options,
      connect: (target, callback) => {
        const patched = (globalThis as MockingGlobal).__MSW_INTERNAL_CONNECTION_CONTEXT;
        if (patched) patched.run(() => connector(target, callback));
        else connector(target, callback);
      },
    });
    this.on("connect", (_origin, targets) => correctParser(targets.at(-1)!, statusError));
  }
}

/** A connection's parser, limited to the parts that are patched here. */
interface ResponseParser {
  socket: Socket;
  /** The response's status; 0 until its headers have arrived. */
  statusCode: number;
  /** The value of Content-Length; -1 if the header is missing. */
  contentLength: number;
  onHeadersComplete(status: number, upgrade: boolean, keepAlive: boolean): number;
  createError(code: number, rest: Buffer): Error;
}

type Connected = Dispatcher & { [symbols.kSocket]: { [symbols.kParser]: ResponseParser } };

/**
 * Undici closes the connection when it receives an unrequested 100 Continue, which clients should ignore (RFC 9110,
 * section 15.2), and has no option for it. It also reports an error in a header that follows Content-Length as a wrong
 * body length. node:http has neither problem, but HTTP mocking libraries in the user's process replace it.
 */
function correctParser(client: Dispatcher, statusError: AgentOptions["statusError"]): void {
  const parser = (client as Connected)[symbols.kSocket][symbols.kParser];
  const { onHeadersComplete, createError } = parser;
  parser.onHeadersComplete = (status, upgrade, keepAlive) => {
    const error = statusError?.(status);
    if (error) {
      parser.socket.destroy(error);
      return -1;
    }
    // Undici ignores 102, so replace 100 with 102.
    return onHeadersComplete.call(parser, status === 100 ? 102 : status, upgrade, keepAlive);
  };
  parser.createError = (code, rest) => {
    if (parser.statusCode === 0) parser.contentLength = -1;
    return createError.call(parser, code, rest);
  };
}
