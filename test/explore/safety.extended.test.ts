import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { readState } from "../../src/index.ts";
import { everything, openShop } from "./safety.ts";

describe("the user's database", () => {
  it("explore reports where the copy is and what to do if another program locks the SQLite file at the end", async () => {
    const shop = await openShop();
    const cli = shop.start("--deviations", "9");
    await expect.poll(shop.handled).toBeGreaterThan(40);
    const holder = new Database(shop.file, { timeout: 100 });
    onTestFinished(() => void holder.close());
    // The process may have been stopped in the middle of writing, so try again in that case.
    while (!holder.inTransaction) {
      cli.kill("SIGSTOP");
      try {
        holder.exec("begin immediate");
      } catch {
        cli.kill("SIGCONT");
      }
    }
    cli.kill("SIGTERM");
    cli.kill("SIGCONT");
    const { code, stderr } = await cli.ended;
    expect(code).not.toBe(0);
    holder.exec("rollback");
    if (!stderr.includes("were NOT restored")) return expect(everything(shop.file)).toEqual(shop.before);
    expect(stderr).toMatch(/shop\.db\.sandglass[\s\S]*--restore --state sqlite:shop\.db/);
    await readState(`sqlite:${shop.file}`);
    expect(everything(shop.file)).toEqual(shop.before);
  });
});
