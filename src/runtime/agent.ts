import { buildConnector, Agent as UndiciAgent } from "undici";

export { request } from "undici";

/** nock 15 and msw 3 patch Node's sockets. This is how they let connections of their own through. */
export interface MockingGlobal {
  __MSW_INTERNAL_CONNECTION_CONTEXT?: { run<T>(connect: () => T): T } | undefined;
}

/** An agent of HTTP/1.1 whose connections no library that mocks HTTP in this process answers or refuses. */
export class Agent extends UndiciAgent {
  constructor({ connect, ...options }: UndiciAgent.Options & { connect?: buildConnector.BuildOptions }) {
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
  }
}
