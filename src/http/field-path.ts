export function fieldPath(root: unknown, names: readonly string[]): string {
  let path = "";
  let value = root;
  for (const name of names) {
    path += Array.isArray(value) ? `[${name}]` : path === "" ? name : `.${name}`;
    value = (value as Record<string, unknown> | null | undefined)?.[name];
  }
  return path;
}
