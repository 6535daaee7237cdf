import { writeFileSync } from "node:fs";
import { notFound } from "../../errors/errors.ts";
import { fileError } from "../../errors/file-error.ts";
import { refuseLinks } from "../../runtime/private-files.ts";
import type { Invocation } from "../command.ts";
import { note, print } from "../output.ts";
import { chosenAddress } from "../server.ts";

/** `sandglass openapi`: prints an OpenAPI document, generated from the schemas that the sandbox uses for validation. */
export async function run({
  args: [name = "platform"],
  options,
}: Invocation<{ out?: string; url?: string }>): Promise<undefined> {
  const { contractNames, openApiDocument } = await import("../../server/contracts.ts");
  if (!contractNames().includes(name))
    throw notFound(`There is no document '${name}'.`, `Documents: ${contractNames().join(", ")}.`);
  const document = await openApiDocument(name, (await chosenAddress(options.url)).url);
  const text = JSON.stringify(document, null, 2);
  if (options.out === undefined) {
    print(text);
    return undefined;
  }
  try {
    refuseLinks(options.out);
    writeFileSync(options.out, `${text}\n`);
  } catch (error) {
    throw fileError("write", options.out, error, "Choose another file.");
  }
  note(`Wrote ${options.out}: ${Object.keys(document.paths).length} paths.`);
  return undefined;
}
