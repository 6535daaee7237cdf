import { watchWire } from "../open.ts";
import type { DatabaseStatements } from "../statements.ts";
import { openMysqlWire } from "./wire.ts";

/** @param address the address of the copy that the server works on @throws SandboxError `unreachable` */
export const openStatements = async (address: string): Promise<DatabaseStatements> =>
  watchWire(await openMysqlWire(address));
