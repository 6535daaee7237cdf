import type { CompletedCommand, Offer } from "./model.ts";

/** The commands as a completion script for zsh. @param fallback the command that runs when none is named */
export function zshScript(commands: readonly CompletedCommand[], fallback: string): string {
  const defaults = commands.find(({ name }) => name === fallback)?.flags ?? [];
  const flagItems = (flags: CompletedCommand["flags"]) =>
    flags.map(({ flag, summary }) => item(flag, summary)).join(" ");
  const values = commands.flatMap(({ name, flags }) =>
    flags.flatMap(({ flag, value, needsValue }) =>
      value && needsValue ? [`    ${quoted(`${name} ${flag}`)}) ${offer(value)}; return ;;`] : [],
    ),
  );
  const args = commands.flatMap(({ name, args }) =>
    args.map((one, index) => {
      const last = index === args.length - 1 && one.files;
      return `    ${last ? `"${name} "*` : quoted(`${name} ${index}`)}) ${offer(one)} ;;`;
    }),
  );
  const takesValue = commands.flatMap(({ name, flags }) =>
    flags.flatMap(({ flag, needsValue }) => (needsValue ? [quoted(`${name} ${flag}`)] : [])),
  );
  return `#compdef sandglass
# Completion of sandglass for zsh. Load it with: source <(sandglass completion zsh)

_sandglass() {
  local command=$words[2] previous=$words[CURRENT-1]
  local -a items
  local -i position=0 index
  if (( CURRENT == 2 )); then
    items=(${commands.map(({ name, summary }) => item(name, summary)).join(" ")})
    _describe command items
    items=(${flagItems(defaults)})
    [[ $words[CURRENT] != -* ]] || _describe option items
    return
  fi
  case "$command $previous" in
${values.join("\n")}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    case $command in
${commands.map(({ name, flags }) => `      ${name}) items=(${flagItems(flags)}) ;;`).join("\n")}
    esac
    _describe option items
    return
  fi
  for (( index = 3; index < CURRENT; index++ )); do
    case "$command $words[index]" in
      ${takesValue.join("|")}) (( index++ )) ;;
      *' -'*) ;;
      *) (( position++ )) ;;
    esac
  done
  case "$command $position" in
${args.join("\n")}
  esac
}

compdef _sandglass sandglass
`;
}

function offer({ words, files }: Offer): string {
  const parts = [
    words.length > 0 ? `compadd -- ${words.map(quoted).join(" ")}` : "",
    files ? "_files" : "",
  ].filter(Boolean);
  return parts.length === 0 ? ":" : parts.join("; ");
}

/** A word and what it is, as `_describe` takes them. */
const item = (word: string, summary: string): string => quoted(`${word.replaceAll(":", "\\:")}:${summary}`);

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
