/** The attributes of an element. `undefined` and `false` leave one out, `true` sets it without a value. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** What an element may contain: texts become text nodes, never HTML. */
export type Content = Node | string | undefined | readonly (Node | string | undefined)[];

/** Makes an element. Every text of a trace gets onto the page through this function, as text. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...content: Content[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  made.append(...content.flat().filter((part) => part !== undefined));
  return made;
}

/** Makes a button that calls a function. */
export function button(attributes: Attributes, label: Content, act: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}

/** Runs a function at most once for each frame that the browser draws, however often it is called. */
export function oncePerFrame(act: () => void): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      act();
    });
  };
}
