import { lazy, Suspense, useState } from 'react';

const Palette = lazy(() => import('./palette.tsx'));

/** The palette. Until it has the focus, a field takes what is typed while it is loading and opening. */
export function SearchOverlay({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [isReady, setReady] = useState(false);
  return (
    <>
      {!isReady && (
        <input
          ref={takeFocus}
          aria-label="Search"
          className="sr-only"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <Suspense fallback={null}>
        <Palette text={text} onText={setText} onFocus={() => setReady(true)} onClose={onClose} />
      </Suspense>
    </>
  );
}

/** Once: React calls a function that is always the same only when the field comes and goes. */
function takeFocus(input: HTMLInputElement | null): void {
  input?.focus();
}
