#!/bin/sh
# A guard for the shell tool. It reads one JSON event from standard input. Exit code 2 blocks the call, and what it writes
# to standard error is the reason that the model is given. It fails closed: if it cannot run, the call does not run.
event=$(cat)

case $event in
  *'rm -'* | *'rmdir '* | *'shred '* | *' -delete'*)
    echo "Nothing is deleted in this project: move it to .trash instead" >&2
    exit 2
    ;;
esac
