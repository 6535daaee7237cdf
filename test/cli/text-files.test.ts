import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { projectFolder } from "../support/project.ts";
import { runWarmCli } from "../support/warm-cli.ts";

const swapped = (text: string) => Buffer.from(text, "utf16le").swap16();
const ENCODINGS: [string, (text: string) => Buffer][] = [
  ["PowerShell's UTF-16", (text) => Buffer.from(`\ufeff${text}`, "utf16le")],
  ["big-endian UTF-16", (text) => swapped(`\ufeff${text}`)],
  ["UTF-16 without a byte order mark", (text) => Buffer.from(text, "utf16le")],
];

const CHECK = ["check", "http://127.0.0.1:1/webhooks", "--secret", "whsec_test"];
const DONE = ["--", "node", "-e", "0"];
const WEBHOOK = JSON.stringify({ type: "ping" });
const CAPTURED = JSON.stringify({
  ...{ time: "2026-01-15T09:00:00Z", method: "POST", path: "/", headers: {}, body: WEBHOOK, status: 200 },
});

/** Each file's name and contents, and a command that reads it. */
const FILES: [file: string, text: string, command: string[]][] = [
  ["sandbox.config.json", "{}", ["exec", ...DONE]],
  ["sandbox.config.ts", "export default {};", ["exec", ...DONE]],
  ["own.config.mjs", "export default {};", ["exec", "--config", "own.config.mjs", ...DONE]],
  ["world/links.yaml", "paymentLinks: []", ["exec", "--from", "world", ...DONE]],
  ["world/links.json", "{}", ["exec", "--from", "world", ...DONE]],
  ["acme.yaml", "name: acme", [...CHECK, "--sender", "./acme.yaml"]],
  ["acme.mjs", "export default {};", [...CHECK, "--sender", "./acme.mjs"]],
  ["events.yaml", "[charge.succeeded]", [...CHECK, "--sender", "stripe", "--events", "events.yaml"]],
  ["seen.ndjson", CAPTURED, [...CHECK, "--sender", "stripe", "--events", "seen.ndjson"]],
  ["story.mjs", "export default {};", ["run", "story.mjs"]],
  ["package.json", "{}", ["init"]],
  ["parts/one.json", "{}", ["explore", "--merge", "parts"]],
  [".gitignore", "a", ["init"]],
  [
    "tokens.json",
    "[]",
    ["holdings", `0x${"1".repeat(40)}`, "--set", "tokens.json", "--url", "http://127.0.0.1:1"],
  ],
];

function folderWith(file: string, content: Buffer): string {
  const cwd = projectFolder("sandglass");
  mkdirSync(dirname(join(cwd, file)), { recursive: true });
  writeFileSync(join(cwd, file), content);
  return cwd;
}

describe.each(FILES)("the text file %s", (file, text, command) => {
  test.each(ENCODINGS)("commands reject a text file in %s with a one-sentence error", async (_, encode) => {
    const { code, stdout, stderr } = await runWarmCli(command, { cwd: folderWith(file, encode(text)) });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(new RegExp(`${file.replace(".", "\\.")} is UTF-16; save it as UTF-8\\.`));
  });

  test("commands ignore a byte order mark in a text file", async () => {
    const [plain, marked] = ["", "\ufeff"].map((mark) =>
      runWarmCli(command, { cwd: folderWith(file, Buffer.from(mark + text)) }),
    );
    expect(await marked).toEqual(await plain);
  });
});
