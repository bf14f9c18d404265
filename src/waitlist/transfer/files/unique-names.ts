/** Hands out names, each once: `plan`, `plan 2`, `plan 3`. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  /** With which number to go on. */
  readonly #copies = new Map<string, number>();
  readonly #charactersMax: number;

  /** Names that get a number have at most so many characters. */
  constructor(charactersMax = Number.POSITIVE_INFINITY) {
    this.#charactersMax = charactersMax;
  }

  take(wanted: string): string {
    let name = wanted;
    let copy = this.#copies.get(wanted) ?? 2;
    for (; this.#taken.has(name); copy += 1) {
      const number = ` ${copy}`;
      name = cut(wanted, this.#charactersMax - number.length) + number;
    }
    this.#copies.set(wanted, copy);
    this.#taken.add(name);
    return name;
  }
}

export function cut(text: string, charactersMax: number): string {
  return [...text].slice(0, charactersMax).join('').trimEnd();
}
