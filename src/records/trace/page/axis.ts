import { formatTick, ticksBetween } from "../format-time.ts";
import { element } from "./dom.ts";

/** What happens on the axis, for the waterfall. */
export interface AxisEvents {
  /** The user marked a range: two shares of the width, from 0 to 1. */
  marked: (from: number, to: number) => void;
}

/** The distance between ticks, roughly, in pixels. */
const TICK_DISTANCE = 80;
/** A drag over fewer pixels is a click. */
const SHORTEST_DRAG = 4;

/** The scale above the bars. Dragging over it marks a range to zoom to. */
export class Axis {
  readonly cell: HTMLElement = element("div", {
    class: "axis",
    role: "columnheader",
    "aria-label": "Timeline",
    title: "Drag to zoom to a range",
  });
  readonly #ticks = element("div", { class: "ticks" });
  readonly #mark = element("div", { class: "mark", hidden: true });

  constructor({ marked }: AxisEvents) {
    this.cell.append(this.#ticks, this.#mark);
    this.cell.addEventListener("pointerdown", (event) => this.#startDrag(event, marked));
  }

  /** Draws the ticks of a range, and sets the distance of the lines behind the bars. Widths are in pixels. */
  draw({ from, to }: { from: number; to: number }, width: number, lines: CSSStyleDeclaration): void {
    const scale = width / (to - from);
    const ticks = ticksBetween(from, to, Math.max(2, Math.floor(width / TICK_DISTANCE)));
    const [first = from, second = to] = ticks;
    lines.setProperty("--tick-distance", `${(second - first) * scale}px`);
    lines.setProperty("--tick-first", `${(first - from) * scale}px`);
    this.#ticks.replaceChildren(
      ...ticks.map((time) => {
        const tick = element("span", { class: "tick" }, formatTick(time, second - first));
        tick.style.left = `${(time - from) * scale}px`;
        return tick;
      }),
    );
  }

  #startDrag(down: PointerEvent, marked: AxisEvents["marked"]): void {
    const { left, width } = this.cell.getBoundingClientRect();
    const shareOf = ({ clientX }: PointerEvent) => Math.min(1, Math.max(0, (clientX - left) / width));
    const start = shareOf(down);
    this.cell.setPointerCapture(down.pointerId);
    const move = (event: PointerEvent) => {
      this.#mark.hidden = false;
      this.#mark.style.left = `${Math.min(start, shareOf(event)) * width}px`;
      this.#mark.style.width = `${Math.abs(shareOf(event) - start) * width}px`;
    };
    const end = (event: PointerEvent) => {
      this.cell.removeEventListener("pointermove", move);
      this.#mark.hidden = true;
      const stop = shareOf(event);
      if (Math.abs(stop - start) * width >= SHORTEST_DRAG) marked(Math.min(start, stop), Math.max(start, stop));
    };
    this.cell.addEventListener("pointermove", move);
    this.cell.addEventListener("pointerup", end, { once: true });
  }
}
