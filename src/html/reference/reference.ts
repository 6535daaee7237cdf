import { type Html, html, page, trusted } from "../html.ts";
import { pageScript } from "../page-script.ts";
import { hourglass } from "../page-style.ts";
import { curlOf } from "./curl.ts";
import {
  anchor,
  type Body,
  type Endpoint,
  endpointsOf,
  type Operation,
  type Parameter,
  type ReferenceDocument,
} from "./document.ts";
import { prose, type SchemaWriter, schemaWriter } from "./schema.ts";
import { type Shape, shapesOf } from "./shapes.ts";
import { referenceStyle } from "./style.ts";

export type { ReferenceDocument } from "./document.ts";

interface Section {
  name: string;
  id: string;
  endpoints: readonly Endpoint[];
}

/** The API reference for an OpenAPI 3.1 document, as one self-contained page. */
export function renderReference(document: ReferenceDocument, { specUrl }: { specUrl: string }): string {
  const endpoints = endpointsOf(document);
  const shapes = shapesOf(document, endpoints);
  const writer = schemaWriter(document, shapes);
  const sections = sectionsOf(endpoints);
  const { title, version, description } = document.info;
  return page({
    title,
    styles: referenceStyle,
    script: pageScript,
    body: html`<a class="skip" href="#content">Skip to the operations</a>
<div class="book">
<header class="index">
<h1>${trusted(hourglass)} ${title}</h1>
<p class="find"><label class="vh" for="find">Filter operations</label>
<input id="find" type="search" placeholder="Filter operations" autocomplete="off" spellcheck="false" data-filter><kbd aria-hidden="true">/</kbd></p>
<p class="small soft" role="status" data-status></p>
<nav aria-label="Operations" tabindex="0">${sections.map(navOf)}${shapes.all.length > 0 && shapeNav(shapes.all)}</nav>
</header>
<main class="pages" id="content" tabindex="-1">
<div class="part"><p>${prose(description)}</p>
<p class="soft">Version ${version}. Served at <code>${document.servers[0]!.url}</code>. <a href="${specUrl}">The OpenAPI document</a></p></div>
${sections.map(
  (section) => html`<section class="part" data-group aria-labelledby="${section.id}">
<h2 id="${section.id}">${section.name}</h2>
${section.endpoints.map((endpoint) => operationPart(document, writer, endpoint))}</section>`,
)}
${
  shapes.all.length > 0 &&
  html`<section class="part" data-group aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>
${shapes.all.map(
  ({
    id,
    name,
    schema,
  }) => html`<article class="op" id="${id}" data-item><h3><a href="#${id}">${name}</a></h3>
${schema.description && html`<p>${prose(schema.description)}</p>`}${writer.table(schema, name, true)}</article>\n`,
)}</section>`
}
</main></div>`,
  });
}

/** One section per tag, in the order of the operations. */
function sectionsOf(endpoints: readonly Endpoint[]): Section[] {
  const sectionOf = ({ operation }: Endpoint): string => operation.tags?.[0] ?? "Calls";
  return [...new Set(endpoints.map(sectionOf))].map((name) => ({
    name,
    id: `tag-${anchor(name)}`,
    endpoints: endpoints.filter((one) => sectionOf(one) === name),
  }));
}

function navOf({ name, endpoints }: Section): Html {
  return html`<div data-group><h2>${name}</h2><ul>${endpoints.map(
    ({ id, method, path, operation: { summary } }) =>
      html`<li data-item><a href="#${id}" data-find="${`${method} ${path} ${summary} ${id}`.toLowerCase()}">${badge(
        method,
      )}<span>${summary}</span></a></li>\n`,
  )}</ul></div>`;
}

function shapeNav(shapes: readonly Shape[]): Html {
  return html`<div data-group><h2>Schemas</h2><ul>${shapes.map(
    ({ id, name }) =>
      html`<li data-item><a href="#${id}" data-find="${`schema ${name}`.toLowerCase()}"><span>${name}</span></a></li>\n`,
  )}</ul></div>`;
}

function badge(method: string): Html {
  return html`<b class="m ${method}">${method}</b>`;
}

function operationPart(document: ReferenceDocument, writer: SchemaWriter, endpoint: Endpoint): Html {
  const { id, method, path, operation } = endpoint;
  const { summary, description, parameters = [], requestBody: body, responses } = operation;
  return html`<article class="op" id="${id}" data-item>
<h3><a href="#${id}">${summary}</a></h3>
<p class="route">${badge(method)} <code>${path}</code></p>
${description !== undefined && html`<p>${prose(description)}</p>`}
<div class="curl"><pre tabindex="0"><code id="curl-${id}">${curlOf(document, endpoint)}</code></pre><button type="button" class="copy" data-copy="curl-${id}">Copy<span class="vh"> the curl command of ${summary}</span></button></div>
${parameters.length > 0 && parameterTable(writer, parameters)}
${body && requestBody(writer, body)}
<h4>Responses</h4><div>${responseParts(writer, responses)}</div>
</article>\n`;
}

function parameterTable(writer: SchemaWriter, parameters: readonly Parameter[]): Html {
  return html`<h4>Parameters</h4><table aria-label="Parameters">${parameters.map(
    (parameter) =>
      html`<tr><th scope="row"><code>${parameter.name}</code> <span class="soft">${parameter.in}</span>${
        parameter.required && html` <b>required</b>`
      }</th><td>${writer.type(parameter.schema)}${writer.notes(
        parameter.schema,
        parameter.description ?? parameter.schema.description,
      )}</td></tr>`,
  )}</table>`;
}

function requestBody(writer: SchemaWriter, body: NonNullable<Operation["requestBody"]>): Html {
  return html`<h4>Request body</h4>${Object.entries(body.content).map(
    ([type, media]) =>
      html`<p class="small soft">${type}${!body.required && ", optional"}</p>${writer.table(media.schema, "Request body", true)}`,
  )}`;
}

/** Identical responses for several statuses, such as errors, share one entry. */
function responseParts(writer: SchemaWriter, all: Readonly<Record<string, Body>>): Html[] {
  const groups = new Map<string, { statuses: (readonly [string, string])[]; body: Body }>();
  for (const [status, body] of Object.entries(all)) {
    const key = /^[45]/.test(status) ? JSON.stringify(body.content ?? null) : status;
    const group = groups.get(key) ?? { statuses: [], body };
    group.statuses.push([status, body.description]);
    groups.set(key, group);
  }
  return [...groups.values()].map(
    ({ statuses, body: { headers = {}, content = {} } }) =>
      html`<details${statuses[0]![0].startsWith("2") && " open"}><summary>${statuses.map(
        ([status, description], index) =>
          html`${index > 0 && ", "}<span class="status s${status.charAt(0)}">${status}</span> ${description}`,
      )}</summary>${Object.keys(headers).map((name) => html`<p><code>${name}</code></p>`)}${Object.values(
        content,
      ).map(({ schema }) => writer.table(schema, "Response body"))}${
        Object.keys(content).length === 0 && html`<p class="soft">No body.</p>`
      }</details>\n`,
  );
}
