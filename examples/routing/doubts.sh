#!/bin/sh
# Routes an answer with words of doubt. No output: the answer is the last one.
jq -c '
  (.output // "")
  | select(test("\\b(probably|perhaps|might|I think)\\b"; "i"))
  | {hook_specific_output: {transition: {action: "route", agent: "researcher"}}}'
