import type { Document, Schema } from './document.ts';
import { nameOf } from './fields.ts';

/** Which named schemas have their own section on the page. The others are shown where they are used. */
export function placesOf(document: Document): Record<'objects' | 'events', Map<string, string>> {
  const names = Object.keys(document.components.schemas).filter((name) => isShared(document, name));
  return {
    objects: new Map(names.map((name) => [name, `#object-${name}`])),
    events: new Map(
      Object.keys(document.components.schemas)
        .filter((name) => document.components.schemas[name]?.discriminator)
        .map((name) => [name, '#section-events']),
    ),
  };
}

/** An object that several others contain, or that describes errors. */
function isShared({ components, paths }: Document, name: string): boolean {
  if (!components.schemas[name]?.properties) return false;
  const holders = Object.values(components.schemas).filter((schema) => holds(schema, name));
  const errors = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([status]) => !status.startsWith('2'))
    .flatMap(([, { content }]) => Object.values(content));
  return holders.length > 1 || errors.some(({ schema }) => nameOf(schema) === name);
}

function holds({ properties = {} }: Schema, name: string): boolean {
  return Object.values(properties).some((property) =>
    [property, property.items ?? {}, ...(property.oneOf ?? [])].some(
      (each) => nameOf(each) === name || holds(each, name),
    ),
  );
}
