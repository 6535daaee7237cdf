import { writeFileSync } from "node:fs";
import { SandboxError } from "../errors/errors.ts";
import type { ContractName } from "../server/contracts.ts";
import type { Invocation } from "./commands.ts";
import { note, print } from "./output.ts";
import { chosenUrl } from "./server.ts";

const CONTRACTS: readonly ContractName[] = ["platform", "data", "game", "control"];

/** `sandglass openapi`: a contract, made of the schemas that the sandbox itself checks with. */
export async function run({
  args: [name = "platform"],
  options,
}: Invocation<{ out?: string; url?: string }>): Promise<undefined> {
  const contract = CONTRACTS.find((known) => known === name);
  if (!contract)
    throw new SandboxError(
      "not_found",
      `There is no document '${name}'.`,
      `Documents: ${CONTRACTS.join(", ")}.`,
    );
  const { openApiDocument } = await import("../server/contracts.ts");
  const document = await openApiDocument(contract, await chosenUrl(options.url));
  const text = JSON.stringify(document, null, 2);
  if (options.out === undefined) {
    print(text);
    return undefined;
  }
  try {
    writeFileSync(options.out, `${text}\n`);
  } catch (error) {
    throw new SandboxError(
      "bad_request",
      `Cannot write ${options.out}: ${(error as Error).message}.`,
      "Name another file.",
    );
  }
  note(`Wrote ${options.out}: ${Object.keys(document.paths).length} paths.`);
  return undefined;
}
