/** A sender of order events, with stories in which orders are cancelled and refunded. */
export const ACME = `
name: acme
events:
  order.paid: { body: { id: evt_1, type: order.paid, order: ord_1, amount: 2500 } }
  order.refunded: { body: { id: evt_2, type: order.refunded, order: ord_1, amount: 500 } }
  order.cancelled: { body: { id: evt_3, type: order.cancelled, order: ord_1 } }
stories:
  cancel: [order.paid, order.cancelled]
  payment: [order.paid]
  refunds: [order.paid, order.refunded, { type: order.refunded, data: { amount: 300 } }]
type: body.type
id: body.id
about: [body.order]
signature: { header: "Acme-Signature: {signature}" }
retries: { delays: [1h] }
timeout: 10s
resend: true
`;

export interface AcmeEvent {
  id: string;
  type: string;
  order: string;
  amount: number;
}
