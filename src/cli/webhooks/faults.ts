import { misuse } from "../../errors/errors.ts";
import { shellArgument } from "../../runtime/shell.ts";
import { type EndpointUrls, urlsOf } from "../../timeline/entries.ts";
import { type ViewCall, view, viewsOf } from "../operation/view.ts";
import { type Cell, columns, fields, paint } from "../output.ts";
import { chosenFlags } from "../server.ts";
import { type ActiveFault, faultText, hitText } from "./fault-text.ts";

const one = {
  lines: (answer: unknown, { given: { area }, options }: ViewCall) => {
    const fault = answer as ActiveFault;
    if (fault.spec === null)
      return fields([
        ["area", area],
        ["fault", "none"],
      ]);
    return fields([
      ["area", area],
      ["fault", { text: faultText(fault.spec), color: paint.red }],
      ["hits", hitText(fault)],
      ["end it", `npx sandglass faults ${shellArgument(area)} --clear${chosenFlags(options)}`],
    ]);
  },
};

export const views = viewsOf(
  view("faults.get", one),
  view("faults.set", one),
  view("faults.clear", {
    ...one,
    read({ area, clear: _, ...others }) {
      if (Object.keys(others).length === 0) return { area };
      throw misuse(
        "--clear accepts no status or other fault flags.",
        `Run: npx sandglass faults ${shellArgument(area)} --clear`,
      );
    },
  }),
  view("faults.list", {
    async lines(answer, { sandbox, options }) {
      const data = answer.data as ActiveFault[];
      if (data.length === 0) return ["No faults. Make an API fail: npx sandglass faults platform 503"];
      const isOfEndpoint = data.some(({ target }) => target.startsWith("webhook:"));
      const urls = urlsOf(isOfEndpoint ? await sandbox.webhooks() : []);
      return columns(data.map((fault) => row(fault, urls, chosenFlags(options))));
    },
  }),
);

function row(fault: ActiveFault, urls: EndpointUrls, where: string): Cell[] {
  const [kind, name = ""] = fault.target.split(/:(.*)/s);
  const [title, end] =
    kind === "api"
      ? [`${name} API`, `npx sandglass faults ${name} --clear`]
      : kind === "provider"
        ? [`provider ${name}`, `npx sandglass providers ${name} up`]
        : [`endpoint ${urls.get(name) ?? name}`, `npx sandglass webhooks work ${name}`];
  return [
    title,
    { text: faultText(fault.spec ?? {}), color: paint.red },
    hitText(fault),
    { text: `end it: ${end}${where}`, color: paint.dim },
  ];
}
