import { mainContextLoader } from "../client/main-context.ts";
import { SandboxError } from "../errors/errors.ts";

/**
 * Calls a function of the package in the main context, if a test runner made a context for this file; else calls `here`. A
 * `SandboxError` from there becomes one of the class that the test file knows.
 */
export async function inMainContext<Options, Result>(
  name: string,
  options: Options,
  here: (options: Options) => Promise<Result>,
): Promise<Result> {
  const load = mainContextLoader();
  if (load === undefined) return here(options);
  try {
    return await (await load<Record<string, typeof here>>("sandglass"))[name]!(options);
  } catch (error) {
    const { name: thrown, code, message, hint, status } = error as SandboxError;
    throw thrown === SandboxError.name ? new SandboxError(code, message, hint, status) : error;
  }
}
