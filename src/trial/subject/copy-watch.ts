import { invalidState, SandboxError } from "../../errors/errors.ts";
import type { WorkCopy } from "../database/copies.ts";
import { Locked } from "../database/limits.ts";
import type { Surroundings } from "./surroundings.ts";

/** The database copy that a started server works on, and the variables that contain the copy's address. */
export interface GivenCopy {
  copy: WorkCopy;
  variables: readonly string[];
}

export interface CopySurroundings extends Surroundings {
  work?: GivenCopy | undefined;
}

/** Stops a server that uses the user's own database instead of the copy. That database is then restored. */
export interface CopyWatch {
  /** @throws SandboxError `invalid_state` if the server does not use the copy */
  check(): Promise<void>;
  /**
   * Reads or restores the copy. If a request of the server holds a lock on it, restarts the server, which ends the request.
   * @throws SandboxError like `check`, which explains why a table is missing
   */
  use<Result>(work: () => Promise<Result>): Promise<Result>;
  /** @throws the error of an earlier check that stopped the server */
  refuseEnded(): void;
}

/** @param shown the user's database, without a password */
export function watchCopy(
  { copy, variables }: GivenCopy,
  { server, statements }: Surroundings,
  shown: string,
): CopyWatch {
  /** The error that ends all of the subscriber's trials. */
  let ended: SandboxError | undefined;

  /** @param did how the user's database was used, as the end of a sentence */
  async function end(did: string, restore = async (): Promise<void> => undefined): Promise<SandboxError> {
    await server!.close();
    await restore();
    ended = invalidState(
      `The server does not use the copy of its database: it ${did}. The copy's address was in ${variables.join(", ")}.`,
      "Have your server read the address of its database, or its host, port and name, from these variables, or list those that it reads in subject.databaseEnv of the configuration, such as DB_HOST, DB_PORT and DB_NAME.",
    );
    return ended;
  }

  async function checkOriginal(): Promise<void> {
    if (await copy.isBypassed()) throw await end(`changed ${shown} itself, which was restored`, copy.restore);
  }

  return {
    async check() {
      await checkOriginal();
      const tls = statements?.insistsOnTls?.();
      if (tls) throw tls;
      // A pool may connect at its first query, which may not have been made yet.
      if (statements?.connections !== 0) await copy.confirm();
      else if (await copy.isConnectedTo(server!.restart)) throw await end(`is connected to ${shown} itself`);
    },
    async use(work) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof Locked) {
          await server!.restart();
          const result = await work();
          // Meanwhile, it may have loaded what the request left in the tables.
          await server!.restart();
          return result;
        }
        if (error instanceof SandboxError && error.code === "not_found") await checkOriginal();
        throw error;
      }
    },
    refuseEnded() {
      if (ended) throw ended;
    },
  };
}
