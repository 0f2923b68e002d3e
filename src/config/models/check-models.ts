import { isObject } from "../../lib/json.ts";
import { BASE_URL_PROBLEM, isBaseUrl } from "../../model/catalog/base-url.ts";
import { splitAlloy } from "../../model/catalog/model-reference.ts";
import { providerAdvice } from "../../model/catalog/name-advice.ts";
import { findProvider } from "../../model/catalog/providers.ts";
import type { ModelSpec, ProviderSpecs } from "../../model/catalog/spec.ts";
import { EVALUATOR_APIS } from "../../model/evaluators/providers.ts";
import { optionNotesForProvider, settingNotesForSpec } from "../../model/setting-notes.ts";
import type { SettingNote } from "../../model/settings/request-settings.ts";
import type { Path } from "../yaml/document.ts";
import type { ProblemReport } from "../yaml/problem-report.ts";
import type { EvaluatorConfig } from "./evaluator-schema.ts";
import { modelAdvice, providerOf } from "./model-advice.ts";
import type { ModelConfig, ProviderConfig } from "./model-schema.ts";

/** The definitions that names of models and providers may refer to. */
export interface ModelNames {
  models: Readonly<Record<string, ModelConfig>>;
  providers: Readonly<Record<string, ProviderConfig>>;
}

/** The part of an agent file that defines models and what asks them. */
interface ModelDefinitions {
  readonly models?: Readonly<Record<string, ModelConfig>> | undefined;
  readonly providers?: Readonly<Record<string, ProviderConfig>> | undefined;
  readonly evaluators?: Readonly<Record<string, EvaluatorConfig>> | undefined;
}

/** Reports problems of `models` and `providers` that their schemas cannot detect. */
export function checkModels(file: ModelDefinitions, names: ModelNames, report: ProblemReport): void {
  for (const [name, provider] of Object.entries(file.providers ?? {})) {
    checkProvider(name, provider, file, report);
    checkProviderOptions(name, file.providers ?? {}, report);
    if (provider.compaction_model !== undefined)
      checkModelName(provider.compaction_model, ["providers", name, "compaction_model"], names, report);
  }
  for (const [name, model] of Object.entries(names.models)) {
    const path = ["models", name];
    if (model.first_available !== undefined) checkSelector(model, path, names, report);
    else checkModel(model, path, names, report);
    for (const key of ["title_model", "compaction_model"] as const) {
      if (model[key] !== undefined) checkModelName(model[key], [...path, key], names, report);
    }
    checkCycle(name, names, report);
    model.routing?.forEach((route, index) =>
      checkModelName(route.model, [...path, "routing", index, "model"], names, report),
    );
  }
}

/** Checks a reference: an entry of `models`, `auto`, `provider/model`, or several of them separated by commas. */
export function checkModelName(text: string, path: Path, names: ModelNames, report: ProblemReport): void {
  const members = splitAlloy(text);
  if (members.length === 0) report.problem(path, "expected a model: a name from models, provider/model or auto");
  for (const member of members) {
    if (member === "auto" || Object.hasOwn(names.models, member)) continue;
    const slash = member.indexOf("/");
    if (slash < 0) report.requireDefined(path, "model", member, Object.keys(names.models), modelAdvice(member));
    else if (slash === 0 || slash === member.length - 1)
      report.problem(path, `expected provider/model but got ${JSON.stringify(member)}`);
    else checkInlineModel({ provider: member.slice(0, slash), model: member.slice(slash + 1) }, path, names, report);
  }
}

/** Checks `provider/model`, whose settings are the defaults of its provider. */
function checkInlineModel(spec: ModelSpec, path: Path, names: ModelNames, report: ProblemReport): void {
  checkProviderName(spec.provider, path, names, report);
  for (const { isFatal, ...note } of settingNotesForSpec(spec, names.providers)) {
    const isReported = note.path[0] === "base_url" && Object.hasOwn(names.providers, spec.provider);
    if (isFatal && !isReported) report.problem(path, `${note.path.join(".")}: ${note.message}`);
  }
}

function checkProviderName(provider: string, path: Path, { providers }: ModelNames, report: ProblemReport): void {
  if (Object.hasOwn(providers, provider)) {
    if (isOnlyForEvaluators(providers[provider]?.provider))
      report.problem(path, `provider ${provider} answers evaluators, not models`);
    return;
  }
  const row = findProvider(provider);
  if (!row) reportProvider(provider, path, Object.keys(providers), report);
  else if (row.advice !== undefined)
    report.notice("advice", path, `provider ${provider} is not supported yet: ${row.advice}`);
}

function reportProvider(name: string, path: Path, own: readonly string[], report: ProblemReport): void {
  const owner = providerOf(name);
  const cure = owner === undefined ? providerAdvice(name, own) : `did you mean ${JSON.stringify(owner)}?`;
  report.problem(path, `no provider ${JSON.stringify(name)}; ${cure}`);
}

/** Reports problems of an entry of `models` without `first_available`. */
export function checkModel(model: ModelConfig, path: Path, names: ModelNames, report: ProblemReport): void {
  if (model.provider !== undefined) {
    checkProviderName(model.provider, [...path, "provider"], names, report);
    if (model.model === undefined) report.problem([...path, "model"], "is required");
    else checkSettings({ ...model, provider: model.provider, model: model.model }, path, names, report);
  } else if (model.model?.includes(",")) {
    checkModelName(model.model, [...path, "model"], names, report);
  } else {
    report.problem([...path, "provider"], "is required");
  }
}

/** Reports settings that the provider would reject. Adds notices for settings that are not sent as written. */
function checkSettings(
  spec: ModelConfig & ModelSpec,
  path: Path,
  { providers }: ModelNames,
  report: ProblemReport,
): void {
  const atProvider = Object.hasOwn(providers, spec.provider) ? optionNotesForProvider(spec.provider, providers) : [];
  for (const note of settingNotesForSpec(spec, providers)) {
    const isInherited = valueAt(spec, note.path) === undefined;
    const isReported = atProvider.some(({ path: [, option] }) => option === note.path[1]);
    if (note.path[0] === "base_url" && isInherited && Object.hasOwn(providers, spec.provider)) continue; // reported there
    if (note.path[0] === "provider_opts" && isInherited && isReported) continue;
    // A default of the provider is not written in the entry of the model.
    addNote(
      { ...note, message: isInherited ? `${note.path.join(".")}: ${note.message}` : note.message },
      isInherited ? path : [...path, ...note.path],
      report,
    );
  }
}

function addNote({ message, isFatal }: SettingNote, path: Path, report: ProblemReport): void {
  if (isFatal) report.problem(path, message);
  else report.notice("advice", path, message);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

/** Reports an alloy or a `first_available` that leads back to itself. */
function checkCycle(name: string, { models }: ModelNames, report: ProblemReport): void {
  const seen = new Set<string>();
  const reachable = [...membersOf(models[name])];
  for (const member of reachable) {
    if (seen.has(member) || !Object.hasOwn(models, member)) continue;
    seen.add(member);
    reachable.push(...membersOf(models[member]));
  }
  if (seen.has(name)) report.problem(["models", name], "refers to itself");
}

function membersOf(model: ModelConfig | undefined): string[] {
  if (model === undefined || model.provider !== undefined) return [];
  return [...(model.first_available ?? []), model.model ?? ""].flatMap(splitAlloy);
}

function checkSelector(model: ModelConfig, path: Path, names: ModelNames, report: ProblemReport): void {
  const at = [...path, "first_available"];
  const others = Object.keys(model).filter((key) => key !== "first_available" && key !== "description");
  if (others.length > 0) report.problem(at, `cannot be combined with ${others.join(", ")}`, "key");
  if (model.first_available?.length === 0) report.problem(at, "expected at least one model");
  model.first_available?.forEach((candidate, index) => {
    const place = [...at, index];
    if (candidate.trim() === "") report.problem(place, "expected a model: a name from models, provider/model or auto");
    else if (Object.hasOwn(names.models, candidate) && names.models[candidate]?.first_available) {
      report.problem(place, `${JSON.stringify(candidate)} has first_available, too; first_available cannot be nested`);
    } else checkModelName(candidate, place, names, report);
  });
}

/** True for a service that has no models to talk to. */
function isOnlyForEvaluators(provider: string | undefined): boolean {
  return provider !== undefined && Object.hasOwn(EVALUATOR_APIS, provider) && findProvider(provider) === undefined;
}

/** Reports an invalid base URL in an entry of `providers`, and options that none of its models can use. */
export function checkProviderOptions(name: string, providers: ProviderSpecs, report: ProblemReport): void {
  const { base_url: url } = providers[name] ?? {};
  if (url && !url.includes("$") && !isBaseUrl(url)) report.problem(["providers", name, "base_url"], BASE_URL_PROBLEM);
  for (const note of optionNotesForProvider(name, providers)) addNote(note, ["providers", name, ...note.path], report);
}

/** True if an evaluator names this entry of `providers`, itself or through its entry of `models`. */
function servesEvaluators(name: string, { evaluators = {}, models = {} }: ModelDefinitions): boolean {
  return Object.values(evaluators).some(
    ({ provider, model = "" }) =>
      name === (provider || (Object.hasOwn(models, model) ? models[model]?.provider : model.split("/", 1)[0])),
  );
}

function checkProvider(name: string, provider: ProviderConfig, file: ModelDefinitions, report: ProblemReport): void {
  const path = ["providers", name];
  if (name.trim() === "" || name !== name.trim() || name.includes("/")) {
    report.problem(path, "expected a name without slashes and without surrounding spaces", "key");
  }
  const base = provider.provider ?? "openai";
  if (isOnlyForEvaluators(base)) return;
  const row = findProvider(base);
  if (!row) reportProvider(base, [...path, "provider"], [], report);
  else if (row.advice !== undefined)
    report.notice("advice", [...path, "provider"], `provider ${base} is not supported yet: ${row.advice}`);
  const isOpenAI = provider.provider === "openai" && servesEvaluators(name, file);
  const needsUrl = (base === "openai" && !isOpenAI) || provider.api_type !== undefined;
  if (needsUrl && !provider.base_url) report.problem([...path, "base_url"], "is required");
}
