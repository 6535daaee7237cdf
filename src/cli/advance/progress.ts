import type { Client } from "../../client/http.ts";
import { followClock } from "../../client/live.ts";
import type { Reached } from "../../client/transport.ts";
import { formatDuration } from "../../timeline/duration.ts";
import { count } from "../../timeline/text.ts";
import type { ClockMessage } from "../../world/clock-message.ts";
import { clearPassing, handsome, note, passing } from "../output.ts";
import { stopRequested } from "../stop.ts";

/** Shows an advance's progress on a terminal. @returns a function that clears it */
export function showProgress(sandbox: Reached): () => void {
  if (!handsome) return () => {};
  let close = () => {};
  let over = false;
  const follow = async () => {
    const live = await followClock(sandbox);
    if (over) return live.close();
    close = live.close;
    for await (const { data } of live.messages) if (!over && data.advance) passing(progressLine(data));
  };
  // Ignore connection errors here: the advance itself reports them.
  follow().catch(() => undefined);
  return () => {
    over = true;
    close();
    clearPassing();
  };
}

/** `24 min of 1 h, 40 %: 12 entries, waiting for 1 response` */
function progressLine({ now, advance }: ClockMessage["data"]): string {
  const { from, to, entries, waiting } = advance!;
  const gone = Date.parse(now) - Date.parse(from);
  const whole = to === null ? 0 : Date.parse(to) - Date.parse(from);
  const goal = whole === 0 ? "" : ` of ${formatDuration(whole)}, ${Math.floor((gone / whole) * 100)} %`;
  const open = waiting === 0 ? "" : `, waiting for ${count(waiting, "response")}`;
  return `${formatDuration(gone)}${goal}: ${count(entries, "entry", "entries")}${open}`;
}

/** Stops the running advance on Ctrl-C. A second Ctrl-C ends the command. */
export function cancelOnStop(sandbox: Client): void {
  void stopRequested().then(async () => {
    clearPassing();
    note(
      "Stopping the advance as soon as open attempts finish. Press Ctrl-C again to stop this command immediately.",
    );
    // If the sandbox is gone, the advance itself reports the error.
    await sandbox.run("clock.cancelAdvance").catch(() => undefined);
  });
}
