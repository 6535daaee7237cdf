import type { CompletedCommand, Offer } from "./model.ts";

/** The commands as a completion script for bash. @param fallback the command that runs when none is named */
export function bashScript(commands: readonly CompletedCommand[], fallback: string): string {
  const names = commands.map(({ name }) => name);
  const defaults = commands.find(({ name }) => name === fallback)?.flags.map(({ flag }) => flag) ?? [];
  const values = commands.flatMap(({ name, flags }) =>
    flags.flatMap(({ flag, value, needsValue }) =>
      value && needsValue ? [`    ${quoted(`${name} ${flag}`)}) ${offer(value)}; return ;;`] : [],
    ),
  );
  // A value that may be left out is offered beside what else can follow.
  const optional = commands.flatMap(({ name, flags }) =>
    flags.flatMap(({ flag, value, needsValue }) =>
      value && !needsValue && value.words.length > 0
        ? [`    ${quoted(`${name} ${flag}`)}) words=${quoted(value.words.join(" "))} ;;`]
        : [],
    ),
  );
  const flags = commands.map(
    ({ name, flags }) =>
      `      ${name}) _sandglass_words ${quoted(flags.map(({ flag }) => flag).join(" "))} ;;`,
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
  return `# Completion of sandglass for bash. Load it with: eval "$(sandglass completion bash)"

_sandglass_words() {
  COMPREPLY+=($(compgen -W "$1" -- "$current"))
}

_sandglass_files() {
  local file
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$current")
}

_sandglass() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  local position=0 index words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    _sandglass_words ${quoted(names.join(" "))}
    case "$current" in -*) _sandglass_words ${quoted(["--version", ...defaults].join(" "))} ;; esac
    return
  fi
  case "$command $previous" in
${values.join("\n")}
  esac
  case "$current" in
    -*)
      case "$command" in
${flags.join("\n")}
      esac
      return ;;
  esac
  case "$command $previous" in
${optional.join("\n")}
  esac
  [ -z "$words" ] || _sandglass_words "$words"
  for ((index = 2; index < COMP_CWORD; index++)); do
    case "$command \${COMP_WORDS[index]}" in
      ${takesValue.join("|")}) index=$((index + 1)) ;;
      *" -"*) ;;
      *) position=$((position + 1)) ;;
    esac
  done
  case "$command $position" in
${args.join("\n")}
  esac
}

complete -o filenames -F _sandglass sandglass
`;
}

/** What a shell does to offer it. */
function offer({ words, files }: Offer): string {
  const parts = [
    words.length > 0 ? `_sandglass_words ${quoted(words.join(" "))}` : "",
    files ? "_sandglass_files" : "",
  ].filter(Boolean);
  return parts.length === 0 ? ":" : parts.join("; ");
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
