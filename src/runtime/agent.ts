/// <reference path="./undici-internals.d.ts" />
import type { Socket } from "node:net";
import { buildConnector, type Dispatcher, Agent as UndiciAgent } from "undici";
import symbols from "undici/lib/core/symbols.js";

export { request } from "undici";

/** nock 15 and msw 3 patch Node's sockets. This is how they let connections of their own through. */
export interface MockingGlobal {
  __MSW_INTERNAL_CONNECTION_CONTEXT?: { run<T>(connect: () => T): T } | undefined;
}

export type AgentOptions = UndiciAgent.Options & {
  connect?: buildConnector.BuildOptions;
  /** What is wrong with a status. Undici fails assertions at those that no request asks for. */
  statusError?: (status: number) => Error | undefined;
};

/** An agent of HTTP/1.1 whose connections no library that mocks HTTP in this process answers or refuses. */
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

/** The parser of one connection, as far as it is changed here. */
interface ResponseParser {
  socket: Socket;
  /** Of the answer; 0 until its headers have come. */
  statusCode: number;
  /** That Content-Length names; -1 without one. */
  contentLength: number;
  onHeadersComplete(status: number, upgrade: boolean, keepAlive: boolean): number;
  createError(code: number, rest: Buffer): Error;
}

type Connected = Dispatcher & { [symbols.kSocket]: { [symbols.kParser]: ResponseParser } };

/**
 * Undici closes the connection at a 100 Continue that was not asked for, which HTTP has clients ignore (RFC 9110,
 * section 15.2), and has no option for it. It also blames the length of the body for what is wrong in the headers after a
 * Content-Length. node:http does neither, but whatever mocks HTTP in the user's process replaces it.
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
    // It passes over 102 as it should over 100.
    return onHeadersComplete.call(parser, status === 100 ? 102 : status, upgrade, keepAlive);
  };
  parser.createError = (code, rest) => {
    if (parser.statusCode === 0) parser.contentLength = -1;
    return createError.call(parser, code, rest);
  };
}
