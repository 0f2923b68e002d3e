import { element } from "./dom.ts";

/** The themes: that of the system, or one of the two. */
const THEMES = ["auto", "light", "dark"] as const;

const STORED = "hooksh-theme";

/** Makes the list of themes, and switches to the one that was chosen last. */
export function themeSwitch(): HTMLElement {
  const select = element("select", { id: "theme", "aria-label": "Theme" });
  for (const theme of THEMES) select.append(element("option", { value: theme }, `${theme} theme`));
  select.value = THEMES.find((theme) => theme === storedTheme()) ?? "auto";
  const apply = () => {
    document.documentElement.dataset["theme"] = select.value;
  };
  select.addEventListener("change", () => {
    apply();
    storeTheme(select.value);
  });
  apply();
  return select;
}

function storedTheme(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null; // a browser may give files no storage
  }
}

function storeTheme(theme: string): void {
  try {
    localStorage.setItem(STORED, theme);
  } catch {
    // The choice then lasts as long as the page.
  }
}
