export const ACME = (retry: string) => `
name: acme
events:
  sub.created: { body: { id: evt_1, type: sub.created, data: { sub: sub_1 } } }
  sub.updated: { body: { id: evt_2, type: sub.updated, data: { sub: sub_1 } } }
  sub.deleted: { body: { id: evt_3, type: sub.deleted, data: { sub: sub_1 } } }
type: body.type
id: body.id
about: [body.data.sub]
signature: { header: "Acme-Signature: {signature}" }
timeout: 5s
retries: { delays: [${retry}] }
resend: false
`;
