export const openOrm = () => undefined;
