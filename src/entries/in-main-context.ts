import { mainContextLoader } from "../client/main-context.ts";
import { SandboxError } from "../errors/errors.ts";

/**
 * Calls the package's function in the main context if a test runner created a context for this file; otherwise, calls
 * `here`. A `SandboxError` thrown there is converted to the class that the test file imports.
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
