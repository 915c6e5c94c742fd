_kschedx_completion() {
    # Bash ends a word at ":" and "=" as well: put together what stands together.
    local IFS=$'\n' rest=$COMP_LINE words=() last=-1 index word before=
    for ((index = 0; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if [[ $last -ge 0 && -n $word && $rest == "$word"* ]] &&
            [[ $word == [:=]* || $before == *[:=] ]]; then
            words[last]+=$word
        else
            words[++last]=$word
            rest=${rest#"${rest%%[![:blank:]]*}"}
        fi
        rest=${rest#"$word"} before=$word
    done
    COMPREPLY=( $( env COMP_WORDS="${words[*]}" \
                   COMP_CWORD=$last \
                   _KSCHEDX_COMPLETE=complete_bash $1 ) )
    # Bash puts in only what comes after the last place where it ends a word.
    word=${words[last]}
    [[ $word == --*=* ]] && word=${word#*=}
    word=${word%"${word##*["$COMP_WORDBREAKS"]}"}
    COMPREPLY=( "${COMPREPLY[@]#"$word"}" )
    return 0
}

complete -o default -F _kschedx_completion kschedx
