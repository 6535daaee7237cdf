import { expect, test } from "vitest";
import { initStarted, QUICK } from "./init-started.ts";

test.skipIf(process.platform !== "linux").each(QUICK.map((sample) => [sample(1, 2).name, sample] as const))(
  "init --yes marks only correct facts as seen for %s",
  async (_name, sample) => {
    expect(await initStarted(sample)).toEqual({ wrong: [], missed: [] });
  },
);
