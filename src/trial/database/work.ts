import { settleAbandoned } from "./abandoned.ts";
import type { MadeCopy, WorkCopy } from "./copies.ts";
import { type Fingerprints, unlikeTables, using } from "./dialect.ts";
import { connect, kindOf } from "./source.ts";
import { heldByOther, notRestored, tellUser, waysOut } from "./words.ts";

/** Copies a database for a server that a trial starts. @throws SandboxError like `openTables` */
export async function workOn(source: string): Promise<WorkCopy> {
  const kind = kindOf(source);
  if (kind.exists(source))
    await using(connect(source), async (dialect) => {
      if (await settleAbandoned(dialect)) throw heldByOther(dialect.shown);
    });
  return createWorkCopy(await kind.copy(source));
}

async function createWorkCopy(made: MadeCopy): Promise<WorkCopy> {
  const { source, valueFor, within, original, shown, place } = made;
  const kept = { shown, place, source: original };
  const read = (of: string) =>
    using(connect(of, { shown, readonly: true }), (dialect) => dialect.fingerprints());
  try {
    const began = await made.began();
    let copied = began && (await read(source));
    const connected = await made.connections();
    let isDone = began === undefined;
    const isUnlike = async (of: string, before: Fingerprints | undefined): Promise<boolean> =>
      before !== undefined && unlikeTables(before, await read(of)).length > 0;
    const isChanged = () => isUnlike(original, began);
    const confirm = async (): Promise<void> => {
      if (!isDone) await made.markUsed();
      isDone = true;
    };
    return {
      ...{ source, valueFor, within, confirm },
      async fill(work) {
        await work();
        copied &&= await read(source);
      },
      isBypassed: async () => !isDone && (await isChanged()) && !(await isUnlike(source, copied)),
      async isConnectedTo(restart) {
        const began = (await made.connections()).filter((one) => !connected.includes(one));
        if (began.length === 0) return false;
        await restart();
        const left = await made.connections();
        return began.some((one) => !left.includes(one));
      },
      async restore() {
        await made.restore().catch((error: Error) => {
          throw notRestored(kept, error.message);
        });
        await confirm();
      },
      async close() {
        const isKept = !isDone && (await isChanged());
        await made.end(isKept);
        if (isKept)
          tellUser(
            `${shown} was changed while the trial was starting, by your server or by another program. It was left as it is. ${waysOut(kept)}`,
          );
      },
    };
  } catch (error) {
    await made.end(false);
    throw error;
  }
}
