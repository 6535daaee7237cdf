/** A value that a field shows and edits: a signal, part of a draft, or a filter in the URL. */
export interface Binding<Value> {
  value: Value;
}

/** Creates a binding from the current value and a setter. */
export function bind<Value>(value: Value, write: (value: Value) => void): Binding<Value> {
  return {
    get value() {
      return value;
    },
    set value(next) {
      write(next);
    },
  };
}

export const member = <Item>(list: Binding<Item[]>, item: Item): Binding<boolean> =>
  bind(list.value.includes(item), (isIn) => {
    const others = list.value.filter((other) => other !== item);
    list.value = isIn ? [...others, item] : others;
  });

/**
 * A binding for one field of a draft.
 * @param clean normalizes a new value before it is stored
 */
export function part<Draft extends object, Name extends keyof Draft>(
  draft: Binding<Draft>,
  name: Name,
  clean: (value: Draft[Name]) => Draft[Name] = (value) => value,
): Binding<Draft[Name]> {
  return {
    get value() {
      return draft.value[name];
    },
    set value(next) {
      draft.value = { ...draft.value, [name]: clean(next) };
    },
  };
}
