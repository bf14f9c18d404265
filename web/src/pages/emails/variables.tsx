import type { Schemas } from '../../api/client.ts';

interface VariablesProps {
  variables: readonly Schemas['TemplateVariable'][];
  /** Puts text where the cursor is. Absent for those who may not edit. */
  onInsert: ((text: string) => void) | undefined;
}

/** What a template can insert, each with an example. */
export function Variables({ variables, onInsert }: VariablesProps) {
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-sm font-medium">Variables</h2>
      <ul className="divide-y rounded-md ring-1 ring-line">
        {variables.map(({ name, description, example }) => (
          <li
            key={name}
            className="grid grid-cols-[7.5rem_minmax(0,1fr)] items-baseline gap-x-3 px-3 py-2 md:grid-cols-[7.5rem_minmax(0,1fr)_auto]"
          >
            {onInsert ? (
              <button
                type="button"
                aria-label={`Insert ${name}`}
                onClick={() => onInsert(`{{ ${insertionOf(name)} }}`)}
                className="justify-self-start rounded-sm bg-accent-soft px-1.5 font-mono text-sm text-accent-strong hover:underline"
              >
                {name}
              </button>
            ) : (
              <code className="font-mono text-sm">{name}</code>
            )}
            <span className="text-sm text-mute">{description.replaceAll('`', '')}</span>
            <span className="max-w-36 truncate text-sm text-mute max-md:hidden" title={example}>
              {example}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Metadata is only of use with the name of a field. */
function insertionOf(name: string): string {
  return name === 'metadata' ? 'metadata.firstName' : name;
}
