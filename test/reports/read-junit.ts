import { readFileSync } from "node:fs";
import { validateXML } from "xmllint-wasm";

const SCHEMA = readFileSync(new URL("junit.xsd", import.meta.url), "utf8");

/** An element as parsed by libxml2. */
export interface Element {
  name: string;
  attributes: Record<string, string>;
  /** The text directly inside the element, including the text between its child elements. */
  text: string;
  children: Element[];
}

/**
 * Validates a report against the schema and parses it.
 * @throws Error with the problems that libxml2 reports
 */
export async function readJunit(report: string): Promise<Element> {
  const { valid, errors, normalized } = await validateXML({
    xml: [{ fileName: "report.xml", contents: report }],
    schema: [SCHEMA],
    normalization: "c14n",
    maxMemoryPages: 4096,
  });
  if (!valid) throw new Error(errors.map(({ rawMessage }) => rawMessage).join("\n"));
  return readCanonical(normalized);
}

const TOKEN = /<(\/?)([\w-]+)((?: [\w-]+="[^"]*")*)>|([^<]+)/g;

/** Parses canonical XML: libxml2 has already resolved references, normalized attributes, and closed all elements. */
function readCanonical(text: string): Element {
  const root: Element = { name: "", attributes: {}, text: "", children: [] };
  const open = [root];
  let end = 0;
  for (const { 0: all, 1: closing, 2: name, 3: attributes, 4: content, index } of text.matchAll(TOKEN)) {
    if (index !== end) throw new Error(`Not canonical at ${index}: ${text.slice(end, end + 80)}`);
    end += all.length;
    if (content !== undefined) open.at(-1)!.text += decoded(content);
    else if (closing) open.pop();
    else {
      const element: Element = { name: name!, attributes: {}, text: "", children: [] };
      for (const [, key, value] of attributes!.matchAll(/ ([\w-]+)="([^"]*)"/g))
        element.attributes[key!] = decoded(value!);
      open.at(-1)!.children.push(element);
      open.push(element);
    }
  }
  return root.children[0]!;
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"' };

function decoded(text: string): string {
  return text.replace(/&(?:#x([0-9A-F]+)|(\w+));/g, (_, code?: string, name?: string) =>
    code === undefined ? NAMED[name!]! : String.fromCodePoint(Number.parseInt(code, 16)),
  );
}
