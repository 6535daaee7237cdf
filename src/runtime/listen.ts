import type { AddressInfo, ListenOptions, Server } from "node:net";

/** Makes a server listen, and returns its port. @throws the system's error */
export const listenAt = (server: Server, where: ListenOptions): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject).listen(where, () => resolve((server.address() as AddressInfo).port));
  });
