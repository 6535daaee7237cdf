import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { CONTROL } from "../control/name.ts";
import { RefusedCaller } from "../control/refused-caller.ts";
import { notFound, SandboxError } from "../errors/errors.ts";
import { html } from "../html/html.ts";
import type { ReferenceDocument } from "../html/reference/reference.ts";
import { DEFAULT_WORLD, requestedWorld } from "../http/address.ts";
import type { OpenApiDocument } from "../http/openapi.ts";
import type { App } from "../http/types.ts";
import { loadOnce } from "../runtime/load-once.ts";
import { OPEN_PATH } from "../runtime/share-link.ts";
import type { AnyArea } from "../sandbox/areas.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { asPage, plainPage } from "./notice.ts";

export interface PageOptions {
  /** Finds the sandbox for a request's world. */
  open: (request: FastifyRequest) => Sandbox;
  areas: readonly AnyArea[];
  worlds: (request: FastifyRequest) => string[];
  /** Rejects a request that may not see pages with keys. */
  guard: (request: FastifyRequest) => void | Promise<void>;
}

/** The page's files with fixed names. The names of all others depend on their contents. */
const FIXED_FILES = ["icon.svg", "theme.js"];
const FOREVER = "public, max-age=31536000, immutable";

/** The page and its files, loaded on first use. */
export function pageRoutes(app: App, options: PageOptions): void {
  const { open } = options;
  app.get(
    "/",
    { onRequest: async (request) => options.guard(request), errorHandler: explainAsPage(options) },
    async (request, reply) => {
      open(request);
      const withoutSlash = /^(\/w\/[^/?#]+)(\?.*)?$/.exec(request.originalUrl);
      if (withoutSlash) return reply.redirect(`${withoutSlash[1]}/${withoutSlash[2] ?? ""}`);
      const { pagePolicy, readPageFile } = await import("./page-files.ts");
      const index = await readPageFile("index.html");
      if (!index) return asPage(reply.code(503)).send(notBuilt());
      return asPage(reply, pagePolicy).send(index.body);
    },
  );
  for (const path of ["/assets/:name", ...FIXED_FILES.map((name) => `/${name}`)]) {
    app.get(path, async (request, reply) => {
      const { readPageFile } = await import("./page-files.ts");
      const name = new URL(request.url, "http://page").pathname.slice(1);
      const file = await readPageFile(name);
      if (!file) throw notFound(`There is no page file ${name.slice(0, 120)}.`, "Reload the page.");
      const cached = path.startsWith("/assets/") ? FOREVER : "no-cache";
      return reply.type(file.type).header("cache-control", cached).send(file.body);
    });
  }
}

/** An area's OpenAPI document and its reference page, both below the area's path. */
export function contractRoutes(app: App, name: string, base: string, options: PageOptions): void {
  const { open, areas } = options;
  const guarded =
    name === CONTROL ? { onRequest: async (request: FastifyRequest) => options.guard(request) } : {};
  const described = loadOnce(async () => (await import("./contracts.ts")).openApiDocument(name, "", areas));

  /**
   * Generate the document only once, because that takes as long as hundreds of calls. Worlds differ only in the URL.
   */
  async function documentAt(server: string): Promise<OpenApiDocument> {
    return { ...(await described.get()), servers: [{ url: server }] };
  }

  if (name === CONTROL)
    app.get(OPEN_PATH, async (_request, reply) => (await import("./closed-page.ts")).sendOpenPage(reply));
  app.get(`${base}/openapi.json`, guarded, async (request, reply) => {
    return reply.send(await documentAt(open(request).status().url + base));
  });
  const referenceOptions = { ...guarded, errorHandler: explainAsPage(options) };
  app.get(`${base}/reference`, referenceOptions, async (request, reply) => {
    const { renderReference } = await import("../html/reference/reference.ts");
    const { url } = open(request).status();
    const document = (await documentAt(url + base)) as unknown as ReferenceDocument;
    return asPage(reply).send(renderReference(document, { specUrl: `${url}${base}/openapi.json` }));
  });
}

/** Shows a page instead of JSON in a browser if the world does not exist or may not be seen. */
const explainAsPage =
  ({ worlds }: PageOptions) =>
  async (error: FastifyError, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!wantsPage(request)) throw error;
    if (error instanceof RefusedCaller) {
      const { sendClosedPage } = await import("./closed-page.ts");
      return sendClosedPage(request, reply, error.reason);
    }
    if (!(error instanceof SandboxError && error.code === "not_found")) throw error;
    return asPage(reply.code(404)).send(noSuchWorld(requestedWorld(request), worlds(request)));
  };

/** Whether a request comes from a browser. Browsers accept HTML, while API clients accept JSON or anything. */
function wantsPage({ headers: { accept = "" } }: FastifyRequest): boolean {
  return accept.includes("text/html") && !accept.includes("application/json");
}

/** Shown instead of the page in a Git checkout where it was not built. The published package always includes it. */
function notBuilt(): string {
  return plainPage(html`<h1>The page is not built yet</h1>
<p>The sandbox and its APIs are running. In a checkout, build the page with</p>
<pre>npm run build</pre>
<p><a href="platform/reference">Payments platform API</a>, <a href="_sandbox/reference">Control API</a></p>`);
}

/** The maximum number of worlds listed on the page for an unknown world. */
const LISTED_WORLDS = 20;

function noSuchWorld(name: string, names: string[]): string {
  const links = names.slice(0, LISTED_WORLDS).map((one) => {
    const path = one === DEFAULT_WORLD ? "/" : `/w/${encodeURIComponent(one)}/`;
    return html`<li><a href="${path}">${one}</a></li>`;
  });
  return plainPage(html`<h1>There is no world <bdi style="overflow-wrap: anywhere">${name}</bdi></h1>
<p>It has ended, or was never made. The worlds there are:</p>
<ul style="padding-left: 1.25rem">${links}${names.length > LISTED_WORLDS && html`<li>and ${names.length - LISTED_WORLDS} more</li>`}</ul>`);
}
