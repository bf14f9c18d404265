import { limits, named, type Setting } from '../../lib/setting.ts';
import { isLine } from '../../lib/text.ts';
import { METADATA_KEY_CHARACTERS_MAX } from '../people/person.ts';

const FIELDS_MAX = 20;
const OPTIONS_MAX = 100;
const LABEL_CHARACTERS_MAX = 200;
const FIELD_TYPES = ['text', 'choice', 'checkbox'] as const;

export interface FormField {
  /** The key in the entry's metadata. */
  name: string;
  label: string;
  type: (typeof FIELD_TYPES)[number];
  /** Only for a choice. */
  options?: string[];
  required: boolean;
}

const FIELD_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;
/** What the form itself sends or stores. */
const RESERVED = [
  'email',
  'phone',
  'ref',
  'token',
  'proof',
  'captcha',
  'consent',
  'website',
  'include',
  'lang',
  'suggestedFor',
  'correctedEmail',
];

export const fields: Setting<FormField[]> = {
  default: [],
  schema: {
    type: 'array',
    items: {
      ...named('FormField'),
      type: 'object',
      required: ['name', 'label', 'type', 'required'],
      properties: {
        name: {
          type: 'string',
          ...limits({ maxLength: METADATA_KEY_CHARACTERS_MAX }),
          description: 'Key in the metadata of the entry.',
          examples: ['company'],
        },
        label: {
          type: 'string',
          ...limits({ maxLength: LABEL_CHARACTERS_MAX }),
          description: 'What people see.',
        },
        type: {
          type: 'string',
          enum: FIELD_TYPES,
          description: '`text` is one line, `choice` one of `options`, `checkbox` true or false.',
        },
        options: {
          type: 'array',
          items: { type: 'string', ...limits({ maxLength: LABEL_CHARACTERS_MAX }) },
          ...limits({ maxItems: OPTIONS_MAX }),
          description: 'For a `choice`: what to choose from.',
        },
        required: { type: 'boolean', description: 'Whether people must fill it in.' },
      },
      additionalProperties: false,
      description: 'A field beside the email.',
    },
    ...limits({ maxItems: FIELDS_MAX }),
    description: 'Fields beside the email, in order.',
  },
  check: (given, tell) => {
    if (given.length > FIELDS_MAX) tell(`must have at most ${FIELDS_MAX} elements`);
    const names = new Set<string>();
    for (const [index, field] of given.entries()) {
      checkField(field, (problem, of) => tell(problem, `[${index}].${of}`));
      if (names.has(field.name)) tell(`${field.name} is used twice`, `[${index}].name`);
      names.add(field.name);
    }
  },
};

function checkField(
  { name, label, type, options }: FormField,
  tell: (problem: string, of: keyof FormField) => void,
): void {
  if (!FIELD_NAME.test(name) || RESERVED.includes(name) || name.startsWith('utm_'))
    tell(
      'must start with a letter, have only letters, digits, _ and -, and not be a name that the form uses itself',
      'name',
    );
  if (label.trim() === '' || !isLine(label, LABEL_CHARACTERS_MAX))
    tell(`must be one line of 1 to ${LABEL_CHARACTERS_MAX} characters`, 'label');
  if (!FIELD_TYPES.includes(type)) tell(`must be one of ${FIELD_TYPES.join(', ')}`, 'type');
  if (type === 'choice') checkOptions(options ?? [], (problem) => tell(problem, 'options'));
  else if (options !== undefined) tell('only a choice has options', 'options');
}

function checkOptions(options: readonly string[], tell: (problem: string) => void): void {
  if (options.length === 0 || options.length > OPTIONS_MAX) tell(`must have 1 to ${OPTIONS_MAX} elements`);
  if (
    new Set(options).size !== options.length ||
    options.some((each) => each.trim() === '' || !isLine(each, LABEL_CHARACTERS_MAX))
  )
    tell(`must be different lines of 1 to ${LABEL_CHARACTERS_MAX} characters`);
}
