#!/bin/sh
# Routes a request about an incident, or one of more than 400 characters. No output: the agent works on it itself.
jq -c '
  (.input // "") as $request
  | if ($request | test("outage|incident|failed"; "i")) then {why: "incident"}
    elif ($request | length) > 400 then {why: "long"}
    else empty end
  | {hook_specific_output: {transition: {action: "route", agent: "specialist"}, metadata: .}}'
