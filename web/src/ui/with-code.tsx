/** Commands in backticks are written as in the terminal. */
export function withCode(text: string) {
  return text.split(/(`[^`]+`)/).map((part) =>
    part.startsWith('`') ? (
      <code key={part} className="font-mono text-sm">
        {part.slice(1, -1)}
      </code>
    ) : (
      part
    ),
  );
}
