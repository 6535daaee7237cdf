import { Type } from "typebox";
import { SandboxError } from "../errors/errors.ts";
import { object } from "../operations/schemas/common.ts";
import { TOKEN_HEADER } from "../runtime/share-link.ts";
import { call } from "./http.ts";

/** What the page of a shared link calls. */
export const shareRoutes = [
  call("POST /share/cookie", {
    id: "setShareCookie",
    tag: "Sharing",
    summary: "Let this browser remember the token of a shared sandbox",
    description: `With the token in ${TOKEN_HEADER}, the answer sets a cookie that scripts cannot read. Callers on this machine have to show it, too.`,
    answer: object("Shared", { shared: Type.Literal(true) }),
    async run({ raw, serving: { share } }, reply) {
      if (!share)
        throw new SandboxError("conflict", "This sandbox is not shared.", {
          command: "Start it with: npx sandglass --share",
          library: "Start it with share: true.",
          http: "Start it with --share.",
        });
      await share.check(raw, true);
      // Behind a proxy that ends TLS, only the page's origin says how the browser reaches the sandbox.
      const secure = raw.headers.origin?.startsWith("https:") ?? false;
      reply.header("set-cookie", share.cookie(secure)).header("cache-control", "no-store");
      return { shared: true };
    },
  }),
];
