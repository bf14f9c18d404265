import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';

/** Browsers limit the height of an element: Firefox to about 17 million pixels. */
const TALLEST_PX = 8_000_000;
const OVERSCAN = 8;

export interface GiantRows {
  box: RefObject<HTMLDivElement | null>;
  onScroll: () => void;
  /** Scrolls so that this row is the first one shown. */
  goTo: (index: number) => void;
  /** Scrolls only as far as needed to show the row. */
  reveal: (index: number) => void;
  /** The rows to draw: first included, end not. */
  first: number;
  end: number;
  /** Height of the scrolled element. */
  tall: number;
  topOf: (index: number) => number;
  /** Whether nothing is scrolled away above. */
  atTop: boolean;
}

/**
 * Scrolls any number of rows of one height. If they are taller than a browser allows, small movements are
 * pixel by pixel and jumps of the scroll bar are in proportion. A head of `headPx` stays at the top of the box.
 */
export function useGiantRows(count: number, rowPx: number, headPx: number): GiantRows {
  const box = useRef<HTMLDivElement>(null);
  const last = useRef({ scroll: 0, top: 0 });
  const [view, setView] = useState({ top: 0, scroll: 0, height: 600 });
  const virtual = count * rowPx;
  const tall = Math.min(virtual, TALLEST_PX);
  const ratio = (height: number) => Math.max(1, virtual - height) / Math.max(1, tall - height);

  const show = useCallback((scroll: number, top: number, height: number) => {
    last.current = { scroll, top };
    setView({ scroll, top, height });
  }, []);

  const onScroll = () => {
    const element = box.current;
    if (!element) return;
    const { scrollTop: now, clientHeight } = element;
    const height = clientHeight - headPx;
    const moved = now - last.current.scroll;
    const small = Math.abs(moved) < height && now > 0 && now < tall - height;
    const scaled = virtual !== tall;
    const wanted = !scaled ? now : small ? last.current.top + moved : now * ratio(height);
    const top = clamp(wanted, 0, Math.max(0, virtual - height));
    // After many small movements the scroll bar would be off: put it back where it belongs.
    const honest = top / ratio(height);
    if (scaled && Math.abs(honest - now) > height) element.scrollTop = honest;
    show(element.scrollTop, top, height);
  };

  const scrollTo = (wanted: number) => {
    const element = box.current;
    if (!element) return;
    const height = element.clientHeight - headPx;
    const top = clamp(wanted, 0, Math.max(0, virtual - height));
    element.scrollTop = virtual === tall ? top : top / ratio(height);
    show(element.scrollTop, top, height);
  };

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() =>
      setView((now) => ({ ...now, height: element.clientHeight - headPx })),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [headPx]);

  const top = clamp(view.top, 0, Math.max(0, virtual - view.height)); // The list may have become shorter.
  return {
    box,
    onScroll,
    tall,
    goTo: (index) => scrollTo(index * rowPx),
    reveal: (index) => {
      const height = box.current ? box.current.clientHeight - headPx : view.height;
      const from = last.current.top;
      if (index * rowPx < from) scrollTo(index * rowPx);
      else if ((index + 1) * rowPx > from + height) scrollTo((index + 1) * rowPx - height);
    },
    first: Math.max(0, Math.floor(top / rowPx) - OVERSCAN),
    end: Math.min(count, Math.ceil((top + view.height) / rowPx) + OVERSCAN),
    topOf: (index) => index * rowPx + view.scroll - top,
    atTop: top < 1,
  };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
