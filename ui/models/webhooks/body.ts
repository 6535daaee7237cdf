import { hrefOfId } from "../ids.ts";

/** A body as it is best read: JSON with its lines, anything else as it came. */
export function readable(body: string | null): string {
  if (body === null || body === "") return "";
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** The id of the payment or session that an event is about; undefined where its body names none. */
export function subjectOf({ request_body: body }: { request_body: string }): string | undefined {
  try {
    const { data } = JSON.parse(body) as { data?: { id?: unknown } };
    return typeof data?.id === "string" && hrefOfId(data.id) !== undefined ? data.id : undefined;
  } catch {
    return undefined;
  }
}
