import { relative } from "node:path";
import { misuse } from "../../errors/errors.ts";
import { surveyLines } from "../../trial/findings/report.ts";
import { surveyVerdict } from "../../trial/findings/verdict.ts";
import { type DemoShop, type DemoVersion, openDemoShop } from "../../trial/stories/demo.ts";
import { STOPPED } from "../exit-codes.ts";
import { paint, print } from "../output.ts";
import { stopRequested } from "../stop.ts";
import { openDemoServer } from "./demo-server.ts";

const FUNCTION = /^( *)function handle[\s\S]*?^\1\}$/m;

/**
 * `sandglass explore --demo`: finds the bugs in two shipped handlers, shows the fixes, and explores the fixed handlers.
 * @returns the exit code: 0 unless it was stopped
 * @throws SandboxError `bad_request` for a URL or other options, because the demo has its own
 */
export async function demo(subscriber: string | undefined, flags: object): Promise<number> {
  if (subscriber !== undefined || Object.keys(flags).length > 1)
    throw misuse(
      "explore --demo explores its own handler; it accepts no URL or other options.",
      "Remove the other options, or remove --demo to explore your own server.",
    );
  const end = new AbortController();
  void stopRequested().then(() => end.abort());
  // Exploring a server is mostly waiting, so start both explorations now instead of one after the other.
  const handlers = await Promise.all([openDemoShop, openDemoServer].map((open) => begin(open, end.signal)));
  try {
    for (const [faulty, fixed] of handlers) {
      print(`${faulty.about} (${relative("", faulty.file)}):\n`);
      print(paint.dim(FUNCTION.exec(faulty.code)?.[0] ?? faulty.code));
      for (const shop of [faulty, fixed]) {
        if (shop === fixed) {
          print(`\nThe fix is one line: ${fixed.fix}.\n`);
          print(paint.red(`  - ${faulty.line}`));
          print(paint.green(`  + ${fixed.line}`));
          print("\nThe same handler with the fix:");
        }
        print("");
        const survey = await shop.survey;
        for (const line of surveyLines(survey, { paint, width: process.stdout.columns || undefined }))
          print(line);
        if (end.signal.aborted) return STOPPED;
        if (surveyVerdict(survey) !== shop.expected)
          throw new Error(`The demo's shop should be ${shop.expected} when explored.`);
      }
      print("");
    }
  } finally {
    end.abort();
    await Promise.allSettled(handlers.flat().map(({ survey }) => survey));
  }
  print("Your own server:");
  print(
    "  npx sandglass explore localhost:3000/webhooks --start 'node server.mjs' --state sqlite:shop.db --secret <secret>",
  );
  print(
    "  npx sandglass explore localhost:3000/webhooks --state <url> --reset <url or command> --secret <secret>",
  );
  return 0;
}

async function begin(open: (version: DemoVersion) => Promise<DemoShop>, signal: AbortSignal) {
  const [faulty, fixed] = [await open("faulty"), await open("fixed")];
  const found = faulty.explore(signal);
  const passed = found.then(() => fixed.explore(signal));
  // An exploration may fail before its result is awaited.
  for (const survey of [found, passed]) survey.catch(() => undefined);
  return [
    { ...faulty, survey: found },
    { ...fixed, survey: passed },
  ] as const;
}
