import { type RoutedTeam, routersOf } from "../agent/check-routing.ts";
import { renderProblems } from "../yaml/document.ts";

/**
 * Names each place where an agent may hand work to one whose hooks route, although that one works only in a conversation that
 * began with such an agent.
 */
export async function routingNotices(team: RoutedTeam): Promise<string[]> {
  const routers = await routersOf(team, []);
  const routes = (name: string) => routers.some(({ agent }) => agent.name === name);
  const lines = team.agents.map(({ name, path, origin, sub_agents = [], handoffs = [], force_handoff }) => {
    const refused =
      'its hooks route, which is possible only in the conversation with the user, so "transfer_task" fails';
    const limited =
      "its hooks route, so it takes over only in a conversation that began with an agent whose hooks route";
    const notices = [
      ...sub_agents.map((target, index) => ({ target, key: ["sub_agents", index], message: refused })),
      ...(routes(name)
        ? []
        : handoffs.map((target, index) => ({ target, key: ["handoffs", index], message: limited }))),
      ...(routes(name) || force_handoff === undefined
        ? []
        : [{ target: force_handoff, key: ["force_handoff"], message: limited }]),
    ].filter(({ target }) => routes(target));
    const problems = notices.map(({ target, key, message }) => ({
      path: [...path, ...key],
      message: `agent ${JSON.stringify(target)}: ${message}`,
    }));
    return renderProblems((origin ?? team).document, problems);
  });
  return (await Promise.all(lines)).flat();
}
