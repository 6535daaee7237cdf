export interface Session {
  customer: string;
  client_reference_id: string;
  metadata: { userId?: string };
}

/** A shop that adds credits to its existing users, and adds them again each time an event is repeated. */
export function shop() {
  let users: Record<string, number> = { "42": 0 };
  const seen: Session[] = [];
  return {
    seen,
    subscriber: async (request: { text(): Promise<string> }) => {
      const event = JSON.parse(await request.text());
      const session: Session = event.data.object;
      const { userId = "" } = session.metadata;
      seen.push(session);
      if (session.customer !== "cus_Ada" || !(userId in users)) return { status: 404 };
      users[userId]! += 10;
      return { status: 200 };
    },
    state: () => ({ users, byEmail: { "ada@shop.example": users["42"] } }),
    reset: () => {
      users = { "42": 0 };
    },
  };
}
