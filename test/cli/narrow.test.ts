import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { inRoom } from "../../src/cli/output.ts";
import { runAt, runCli } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";

const COLUMNS = 60;

/** Ids, URLs and commands must each stay on one line, so users can copy them. */
const isWhole = (line: string) => /^ *(?:\S+|[<\w-]+ <.*|export .*|.*(?:npx |--).*)$/.test(line);

function expectNarrow(printed: string): void {
  for (const line of printed.split("\n"))
    if (!isWhole(line)) expect(line.length, line).toBeLessThanOrEqual(COLUMNS);
}

/** Simulates a terminal with 60 columns until the test ends. */
function narrow(): void {
  const { columns, isTTY } = process.stdout;
  Object.assign(process.stdout, { columns: COLUMNS, isTTY: true });
  onTestFinished(() => void Object.assign(process.stdout, { columns, isTTY }));
}

describe("a terminal of 60 columns", () => {
  test("the output of sandbox commands fits into 60 columns", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    narrow();
    const commands = `
      webhooks create ${sandbox.url}/_sandbox/inbox/mine
      webhooks fail last 503 --times 2
      pay coffee --client-reference-id order-1
      payment order-1
      advance 20m
      advance 1d --dry-run
      webhooks timeline last
      status
      links
      sessions coffee
      webhooks
      events
      mail
      mail last
      inbox
      faults
      channels
      rules
      worlds
      clock`;
    for (const command of commands.trim().split(/\n */)) {
      const { code, stdout } = await runAt(sandbox, ...command.split(" "));
      expect({ command, code }).toEqual({ command, code: 0 });
      expectNarrow(stdout);
    }
  });

  test("help and errors fit into 60 columns", async () => {
    narrow();
    for (const args of [
      ["--help"],
      ["start", "--help"],
      ["run", "--list"],
      ["explore", "--help"],
      ["check", "--list"],
    ])
      expectNarrow((await runCli(args)).stdout);
  });
});

test("wrapping a line removes only spaces, and a wide terminal leaves lines unchanged", () => {
  // A command is never split, however long it is.
  const cell = fc
    .stringMatching(/^[a-z]{1,12}( [a-z]{1,12}){0,5}$/)
    .filter((text) => !/(?:npx|export) /.test(`${text} `));
  const row = fc.tuple(fc.nat(4), fc.array(cell, { minLength: 1, maxLength: 5 }));
  fc.assert(
    fc.property(row, fc.integer({ min: 20, max: 90 }), ([indent, cells], room) => {
      const line = " ".repeat(indent) + cells.join("   ");
      const shown = inRoom(line, room);
      expect(shown.replaceAll(/\s/g, "")).toBe(line.replaceAll(/\s/g, ""));
      for (const part of shown.split("\n")) expect(part.length).toBeLessThanOrEqual(room);
      expect(inRoom(line, line.length)).toBe(line);
      expect(inRoom(line)).toBe(line);
    }),
  );
});
