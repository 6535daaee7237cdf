import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Plugin } from "vite";

interface Bundled {
  name: string;
  version: string;
  licence: string;
  text: string;
}

const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;
const HEAD = `# Third-party notices

These packages are bundled into Sandglass, under the licences that follow. \`npm run build\` writes this file.
`;

/**
 * Collects the packages whose code ends up in a bundle. One collector can be used for several builds.
 * @param made folders of packages whose contents are bundled in some other form
 * @returns a plugin for each build, and the text of the notices: every package with its version and licence, sorted by
 * name
 * @throws Error if a bundled package does not declare a licence
 */
export function collectNotices(made: string[]) {
  const folders = new Set<string>(made);
  const plugin = (): Plugin => {
    let root = "";
    return {
      name: "third-party-notices",
      configResolved(config) {
        root = config.root;
      },
      generateBundle(_options, bundle) {
        const files = Object.values(bundle).flatMap((file) =>
          file.type === "chunk"
            ? Object.keys(file.modules).filter((id) => file.modules[id]!.renderedLength > 0)
            : file.originalFileNames.map((name) => resolve(root, name)),
        );
        for (const file of files) if (file.includes("node_modules")) folders.add(packageFolder(file));
      },
    };
  };
  return {
    plugin,
    text: () =>
      HEAD +
      [...new Map([...folders].map(readBundled).map((bundled) => [titleOf(bundled), bundled]))]
        .sort(([a], [b]) => a.localeCompare(b, "en"))
        .map(([title, { text }]) => `\n## ${title}\n\n\`\`\`text\n${text}\n\`\`\`\n`)
        .join(""),
  };
}

const titleOf = ({ name, version, licence }: Bundled) => `${name} ${version} (${licence})`;

/** The folder of the package that a module belongs to: the path up to the folder after the last `node_modules`. */
function packageFolder(id: string): string {
  const [path = ""] = id.replaceAll("\\", "/").replace(/^\0+/, "").split("?");
  const start = path.lastIndexOf("/node_modules/") + "/node_modules/".length;
  const [scope = "", name = ""] = path.slice(start).split("/");
  return path.slice(0, start) + (scope.startsWith("@") ? `${scope}/${name}` : scope);
}

function readBundled(folder: string): Bundled {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { name, version, license: licence, author } = manifest;
  if (licence === undefined)
    throw new Error(`${name} ${version} is bundled, and says nothing of its licence`);
  const texts = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  const text = texts.length > 0 ? texts.join("\n\n") : licenceFromReadme(folder);
  const by = author === undefined ? "" : ` and the author ${author.name ?? author}`;
  const named = `The package has no licence text. Its package.json names the licence ${licence}${by}.`;
  return { name, version, licence, text: (text ?? named).replaceAll("\r\n", "\n") };
}

/** Some packages contain their licence only as the last section of the README. */
function licenceFromReadme(folder: string): string | undefined {
  const readme = readdirSync(folder).find((file) => /^readme(\.md)?$/i.test(file));
  const text = readme && readFileSync(join(folder, readme), "utf8");
  return text ? /^#+ licen[cs]e\s*\n([\s\S]+)/im.exec(text)?.[1]?.trim() : undefined;
}
