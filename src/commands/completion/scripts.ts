/*
 * Each script passes the words up to the cursor to `hooksh completion words`. That prints the kind of files that fit there,
 * then one candidate per line with its description after a tab. So a script stays correct when hooksh changes.
 */

const BASH = String.raw`# bash completion for hooksh: source <(hooksh completion bash)
_hooksh() {
  local current=${"$"}{COMP_WORDS[COMP_CWORD]} kind= line
  COMPREPLY=()
  [ "$current" = "=" ] && current=
  while IFS= read -r line; do
    if [ -z "$kind" ]; then kind=$line; continue; fi
    COMPREPLY+=("${"$"}{line%%$'\t'*}")
  done < <(command hooksh completion words -- "${"$"}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case $kind in none | "") return ;; esac
  compopt -o filenames 2>/dev/null
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
    compgen -d -- "$current"
    case $kind in
      any) compgen -f -- "$current" | while IFS= read -r line; do [ -d "$line" ] || printf '%s\n' "$line"; done ;;
      yaml) compgen -f -X '!*.yaml' -- "$current"; compgen -f -X '!*.yml' -- "$current" ;;
    esac
  )
}
complete -F _hooksh hooksh
`;

const ZSH = String.raw`#compdef hooksh
# zsh completion for hooksh: hooksh completion zsh > "${"$"}{fpath[1]}/_hooksh", or: source <(hooksh completion zsh)
_hooksh() {
  local -a lines described
  local kind line word
  lines=("${"$"}{(@f)$(command hooksh completion words -- "${"$"}{(@)words[2,CURRENT]}" 2>/dev/null)}")
  kind=${"$"}{lines[1]}
  for line in "${"$"}{(@)lines[2,-1]}"; do
    word=${"$"}{line%%$'\t'*}
    described+=("${"$"}{word//:/\\:}:${"$"}{line#*$'\t'}")
  done
  compset -P '--*='
  (( $#described )) && _describe hooksh described
  case $kind in
    any) _files ;;
    yaml) _files -g '*.(yaml|yml)' ;;
    directories) _files -/ ;;
  esac
}
if [ "$funcstack[1]" = "_hooksh" ]; then _hooksh "$@"; else compdef _hooksh hooksh; fi
`;

const FISH = String.raw`# fish completion for hooksh: hooksh completion fish | source
function __hooksh_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines (command hooksh completion words -- $words[2..-1] 2>/dev/null)
    set -l prefix (string match -r -- '^--[^=]+=' $words[-1])
    for line in $lines[2..-1]
        printf '%s%s\n' "$prefix" $line
    end
    set -l current (string replace -r -- '^--[^=]+=' '' $words[-1])
    switch "$lines[1]"
        case any
            for path in (__fish_complete_path $current)
                printf '%s%s\n' "$prefix" $path
            end
        case yaml
            for path in (__fish_complete_path $current | string match -r -- '.*(?:/|\.ya?ml)(?:\t.*)?$')
                printf '%s%s\n' "$prefix" $path
            end
        case directories
            for path in (__fish_complete_directories $current)
                printf '%s%s\n' "$prefix" $path
            end
    end
end
complete -c hooksh -f -k -a '(__hooksh_complete)'
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
