import { basename, dirname, relative, resolve } from "node:path";

/** Where a file is, for an `import` of a file in a folder. */
export function importPath(folder: string, file: string): string {
  const path = relative(resolve(folder), dirname(resolve(file))).replaceAll("\\", "/");
  return [path.startsWith("..") ? [] : ".", path === "" ? [] : path, basename(file)].flat().join("/");
}
