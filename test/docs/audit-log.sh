# Writes an audit log of yesterday: 29 sessions with 56 events each, and hooks of three kinds.
mkdir -p ~/.hooksh/audit
log=~/.hooksh/audit/$(date -u +%Y-%m).jsonl
awk -v day="$(date -u -d yesterday +%F 2>/dev/null || date -u -v-1d +%F)" '
  function drawn(low, high) { seed = (seed * 16807) % 2147483647; return low + (high - low) * (seed % 1000) / 1000 }
  # The sum of several draws, as an exponent: most runs take about the same time, a few take long.
  function took(low, high) { return sprintf("%.2f", exp((drawn(low, high) + drawn(low, high) + drawn(low, high)) / 3)) }
  function hook(name, ms, outcome, more) {
    total += ms
    return "{\"name\":\"" name "\",\"source\":\"/p/hooks.yaml:1\",\"type\":\"command\",\"stage\":\"concurrent\",\"outcome\":\"" outcome "\",\"ms\":" ms more "}"
  }
  function line(event, tool, hooks, decision) {
    at += drawn(2, 26)
    time = sprintf("%sT%02d:%02d:%02d.000Z", day, at / 3600, at % 3600 / 60, at % 60)
    print "{\"v\":1,\"time\":\"" time "\",\"prev\":\"sha256:0000000000000000000000000000000000000000000000000000000000000000\",\"source\":\"run\",\"session\":\"s" session "\",\"event\":\"" event "\"" tool ",\"cwd\":\"/p\",\"hooks\":[" hooks "],\"decision\":\"" decision "\",\"ms\":" total "}"
    total = 0
  }
  BEGIN {
    seed = 7
    for (session = 1; session <= 29; session++)
      for (n = 1; n <= 56; n++) {
        if (n % 7 == 0) {
          slow = (n == 56 && session % 6 == 0) ? ",\"timeout_s\":30" : ""
          line("stop", "", hook("tests-pass.sh", slow ? 30000 : took(5.5, 10), slow ? "timed_out" : "silent", slow), "none")
          continue
        }
        denied = n == 20
        guard = hook("guard.sh", took(0.2, 3.6), denied ? "blocked" : "silent", denied ? ",\"decision\":\"deny\"" : "")
        line("pre_tool_use", ",\"tool\":\"shell\"", guard "," hook("redact_secrets", took(-3, 0.1), "silent", ""), denied ? "deny" : "none")
      }
  }' > "$log"
