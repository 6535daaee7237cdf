/** Keys of undici's internal properties, which its types omit. */
declare module "undici/lib/core/symbols.js" {
  const symbols: { readonly kSocket: unique symbol; readonly kParser: unique symbol };
  export default symbols;
}
