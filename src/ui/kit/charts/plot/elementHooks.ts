// Facts about an element that those who draw need: its width, whether anyone can see it, and whether it goes on to the right.
import { type RefObject, useEffect, useState } from "react";

/** Width of the element in whole CSS pixels; 0 before it is measured. */
export function useWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver((entries) => {
      const entry = entries.at(-1);
      if (entry) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}

/** Whether the element is on screen or within 200 pixels of it. */
export function useOnScreen(ref: RefObject<HTMLElement | null>): boolean {
  const [visible, setVisible] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      (entries) => {
        // A busy page hands over several at once, oldest first; no more may come.
        const entry = entries.at(-1);
        if (entry) setVisible(entry.isIntersecting);
      },
      { rootMargin: "200px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return visible;
}

/** Whether an element that scrolls sideways, and has one child, has more to show at its right. */
export function useGoesOn(ref: RefObject<HTMLElement | null>): boolean {
  const [goesOn, setGoesOn] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    // Widths are rounded: the last pixel may never come.
    const look = () => setGoesOn(element.scrollLeft + element.clientWidth < element.scrollWidth - 1);
    const observer = new ResizeObserver(look);
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [ref]);
  return goesOn;
}
