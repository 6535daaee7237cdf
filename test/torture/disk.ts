import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type ApiAnswer, call, must } from "./api.ts";
import { Finding } from "./finding.ts";
import { type Bench, type Figures, type Part, withBench } from "./part.ts";
import { withServer } from "./server.ts";

/** The size of the disk. It has room for a world without history, and for a few hundred payments. */
const DISK_KB = 4_000;
/** A number of payments that is too large for the disk. */
const MOST_PAYMENTS = 5_000;
/** This many rejections in a row mean that the disk is full. */
const REFUSALS = 20;

export const disk: Part = {
  name: "disk",
  about: "a data folder on a disk that fills up, and a kill while it is full",
  unit: "rounds",
  ciCount: 3,
  run: (options) => withBench("disk", options, torture),
};

async function torture({ folder, goesOn, progress }: Bench): Promise<Figures> {
  let [round, paid, refused] = [0, 0, 0];
  for (; goesOn(round); round += 1) {
    const disk = join(folder, `disk-${round}`);
    mkdirSync(disk);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_KB}k`, "tmpfs", disk], { stdio: "ignore" });
    } catch {
      return { rounds: 0, skipped: "this user cannot mount a disk" };
    }
    try {
      const result = await fill(join(disk, "data"));
      paid += result.paid;
      refused += result.refused;
      progress(`${result.paid} payments until the disk was full`);
    } finally {
      execFileSync("umount", ["-l", disk]);
    }
  }
  return { rounds: round, "payments that were confirmed, none lost": paid, "refused in words": refused };
}

/**
 * Makes payments until the disk is full, kills the server, and compares the data on a new server with the payments that
 * were confirmed.
 */
async function fill(dataDir: string): Promise<{ paid: number; refused: number }> {
  const args = ["--data-dir", dataDir, "--paused", "--rate-limit", "off", "--seed", "empty"];
  const paid: string[] = [];
  let now = "";
  let refused = 0;
  await withServer(args, async (server) => {
    const { url } = server;
    const link = await must(url, "POST", "/platform/api/v1/payment-links", { name: "Tea", amount: "1" });
    for (let inARow = 0; inARow < REFUSALS; ) {
      if (paid.length > MOST_PAYMENTS) throw new Finding("The disk does not fill up.");
      const answer = await call(url, "POST", "/_sandbox/payments", { payment_link_id: link.id });
      if (answer.status < 300) paid.push(answer.body.transaction.id);
      inARow = answer.status < 300 ? 0 : inARow + 1;
      if (answer.status >= 300) refused += checkWords(answer);
    }
    for (const [path, body] of [
      ["/_sandbox/snapshots", { name: "full" }],
      ["/_sandbox/worlds", { name: "other" }],
      ["/_sandbox/clock/advance", { by: "1d" }],
    ] as const) {
      const answer = await call(url, "POST", path, body);
      if (answer.status >= 300) refused += checkWords(answer);
    }
    ({ now } = await must(url, "GET", "/_sandbox/clock"));
    server.check();
  });
  await withServer(args, async ({ url }) => {
    const clock = await must(url, "GET", "/_sandbox/clock");
    if (clock.now !== now) throw new Finding(`The clock showed ${now}, and ${clock.now} after a kill.`);
    for (const id of paid) await must(url, "GET", `/_sandbox/payments/${id}`);
  });
  return { paid: paid.length, refused };
}

/**
 * @returns 1 for a response that explains the full disk
 * @throws Finding for any other error
 */
function checkWords({ status, body }: ApiAnswer): number {
  if (status === 507 && body.error?.code === "disk_full") return 1;
  throw new Finding(`A full disk was answered with ${status}: ${JSON.stringify(body)}`);
}
