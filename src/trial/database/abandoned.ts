import { notFound } from "../../errors/errors.ts";
import { type Dialect, unlikeTables, using } from "./dialect.ts";
import { connect, kindOf } from "./source.ts";
import { changedSince, heldByOther, type Kept, listed, tellUser, waysOut } from "./words.ts";

const keptOf = (dialect: Dialect): Kept => ({ ...dialect, place: dialect.shelf.place });

/**
 * Restores rows after a killed trial, if nothing has changed them since, and removes the copies that the trial left.
 * @returns whether another trial is working on the database
 * @throws SandboxError `invalid_state` if the user has to decide
 */
export async function settleAbandoned(dialect: Dialect): Promise<boolean> {
  const { shelf, shown } = dialect;
  const found = await shelf.take();
  if (found === "taken") {
    const { last, began, busy, unsure } = await shelf.noted();
    const now = await dialect.fingerprints();
    const others = unlikeTables(last, now).filter((name) => !busy.includes(name));
    const lost = unsure.filter((name) => now[name] === began[name]);
    if (lost.length > 0) await shelf.restore({ only: lost, left: true });
    if (others.length + unsure.length > 0)
      throw changedSince(keptOf(dialect), [...new Set([...others, ...unsure])]);
    const changed = unlikeTables(began, now).filter((name) => !busy.includes(name));
    await shelf.restore({ expected: now, except: busy });
    await shelf.drop();
    if (changed.length > 0)
      tellUser(`An earlier trial on ${shown} was killed. Its rows were restored in ${listed(changed)}.`);
  }
  for (const copy of await kindOf(dialect.source).abandoned(dialect)) {
    const changed = await copy.changed();
    if (changed.length === 0) await copy.remove();
    else
      tellUser(
        `${shown} has changed since a trial with --start was killed while it was starting: ${listed(changed)}. ${waysOut({ ...dialect, place: copy.place })}`,
      );
  }
  return found === "held";
}

/**
 * Applies the user's decision about an earlier trial's copy, and removes the copy.
 * @param how `restore` resets all tables to that trial's start; `keep` leaves them unchanged
 * @returns a sentence that describes the result
 * @throws SandboxError `not_found` if there is no such copy, `invalid_state` while its trial is in progress; and like
 * `connect`
 */
export const decide = (source: string, how: "restore" | "keep"): Promise<string> =>
  using(connect(source), async (dialect) => {
    const { shelf, shown } = dialect;
    const found = await shelf.take();
    if (found === "held") throw heldByOther(shown);
    if (found === "taken") {
      if (how === "restore") await shelf.restore({ except: (await shelf.noted()).busy });
      await shelf.drop();
    }
    const copies = await kindOf(dialect.source).abandoned(dialect);
    for (const [index, copy] of copies.entries()) {
      // Only the latest copy contains the rows from before the current ones.
      if (how === "restore" && found === "none" && index === copies.length - 1) await copy.restore();
      await copy.remove();
    }
    if (found === "none" && copies.length === 0)
      throw notFound(
        `There is no backup of ${shown} from an earlier trial.`,
        "A trial leaves a backup only if it was killed, or if another program changed the same tables.",
      );
    return how === "restore"
      ? `${shown} has its rows from the start of that trial again.`
      : `${shown} was left as it is. The backup has been removed.`;
  });
