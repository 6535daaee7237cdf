import type { Client } from "../client/http.ts";
import { followClock } from "../client/live.ts";
import type { ClockMessage } from "../control/live-clock.ts";
import { clearPassing, handsome, note, passing, time } from "./output.ts";
import { stopRequested } from "./stop.ts";

/**
 * Shows on a terminal how far the advance in progress is.
 * @returns takes what is shown away
 */
export function showProgress(url: string): () => void {
  if (!handsome) return () => {};
  let close = clearPassing;
  let over = false;
  const follow = async () => {
    const live = await followClock(url);
    if (over) return live.close();
    close = live.close;
    for await (const { data } of live.messages) if (!over && data.advance) passing(progressLine(data));
  };
  // Without a connection there is nothing to show: the advance itself says what is wrong.
  follow().catch(() => undefined);
  return () => {
    over = true;
    close();
    clearPassing();
  };
}

/** `2026-01-15 09:24:00 of 2026-01-15 10:00:00 UTC, 40 %: 12 entries, waiting for 1 answer` */
export function progressLine({ now, advance }: ClockMessage["data"]): string {
  const { from, to, entries, waiting } = advance!;
  const goal = to === null ? "" : ` of ${time(to)}`;
  const share =
    to === null ? undefined : (Date.parse(now) - Date.parse(from)) / (Date.parse(to) - Date.parse(from));
  const percent = share === undefined || Number.isNaN(share) ? "" : `, ${Math.floor(share * 100)} %`;
  const open = waiting === 0 ? "" : `, waiting for ${waiting} ${waiting === 1 ? "answer" : "answers"}`;
  return `${time(now)}${goal} UTC${percent}: ${entries} ${entries === 1 ? "entry" : "entries"}${open}`;
}

/** Ends the advance in progress on Ctrl-C; a second one ends the command. */
export function cancelOnStop(sandbox: Client): void {
  void stopRequested().then(async () => {
    clearPassing();
    note("Ending the advance once open attempts are answered. Ctrl-C again ends this command at once.");
    // Where the sandbox is gone, the advance itself says so.
    await sandbox.cancelAdvance().catch(() => undefined);
  });
}
