/** Keys of undici's own properties, which its types leave out. */
declare module "undici/lib/core/symbols.js" {
  const symbols: { readonly kSocket: unique symbol; readonly kParser: unique symbol };
  export default symbols;
}
