/**
 * A key to press. Screen readers have `aria-keyshortcuts`, and a phone has no keys. It is no text, so that the name of
 * a button is what is read on it.
 */
export function Kbd({ name }: { name: string }) {
  return (
    <kbd
      aria-hidden
      data-key={name}
      className="rounded-sm px-1 font-sans text-xs opacity-75 ring-1 ring-current/40 before:content-[attr(data-key)] max-md:hidden"
    />
  );
}
