import { senderFiles } from "../../senders/files.ts";
import type { Signature } from "./senders.ts";

/** A sender file to fill in, with the signature scheme that the project's code checks. */
export function senderFileOf({ name, header, algorithm, encoding }: Signature): {
  path: string;
  what: string;
  text: string;
} {
  const [file] = senderFiles(name);
  const text = file!.text
    .replace(
      /^# How .*$/m,
      (line) => `# Fill in the events and what is signed. The signature is a guess from your code.\n${line}`,
    )
    .replace(/^ {2}header: .*$/m, `  header: "${header}: {signature}"`)
    .replace(/^ {2}algorithm: \S+/m, `  algorithm: ${algorithm}`)
    .replace(/^ {2}encoding: \S+/m, `  encoding: ${encoding}`)
    .replace(/^ {2}over: "[^"]*"/m, '  over: "{body}"');
  return { path: `senders/${file!.path}`, what: `${name}, to fill in`, text };
}
