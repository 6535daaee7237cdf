/** The parts of a shipping address, as the hosted checkout asks for them: names of `form_data.shipping_address`. */
export const SHIPPING_FIELDS = [
  { name: "line1", label: "Street", autocomplete: "shipping address-line1" },
  { name: "city", label: "City", autocomplete: "shipping address-level2" },
  { name: "state", label: "State", autocomplete: "shipping address-level1" },
  { name: "zip", label: "ZIP code", autocomplete: "shipping postal-code" },
] as const;
