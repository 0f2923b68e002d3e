/**
 * The part of highlight.js that hooksh calls. The package's own declarations pull the types of the DOM into every file;
 * `paths` of tsconfig.json puts these in their place.
 */
declare module "highlight.js" {
  export type LanguageFn = (library: unknown) => unknown;

  /** https://highlightjs.readthedocs.io/en/latest/api.html */
  export interface HLJSApi {
    registerLanguage(name: string, language: LanguageFn): void;
    getLanguage(name: string): object | undefined;
    /** `value` is HTML: text with entities, and `<span class="hljs-SCOPE">`. */
    highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
  }

  const library: HLJSApi;

  export { library as default };
}

declare module "highlight.js/lib/languages/*" {
  const language: import("highlight.js").LanguageFn;

  export { language as default };
}
