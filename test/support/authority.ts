import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";

/** Gives the test a folder for a certificate authority of its own: the user's is left alone. */
export function ownAuthority(): string {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-ca-"));
  vi.stubEnv("SANDGLASS_CA_DIR", folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
