import { ApiError } from '../../api/client.ts';
import type { Metadata } from './metadata-merge.ts';

/** What somebody typed, if it is a JSON object. Nothing is an empty one. */
export function metadataIn(text: string): Metadata {
  if (text.trim() === '') return {};
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refused('must be a JSON object, such as { "plan": "pro" }');
  return value as Metadata;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused(`is not JSON: ${error instanceof Error ? error.message : ''}`);
  }
}

function refused(message: string): ApiError {
  return new ApiError(0, 'invalid', `metadata: ${message}`, [{ name: 'metadata', message }]);
}

/**
 * A body with metadata as it was typed. Parsed, a long number would lose digits and a key that is there twice its first
 * value, and the server could not refuse them.
 */
export function bodyWithMetadata(fields: object, text: string): string {
  const others = JSON.stringify(fields).slice(1, -1);
  return `{${[others, `"metadata":${text}`].filter((part) => part !== '').join(',')}}`;
}

/** The text of an object, with one more member in front. */
export function withMember(name: string, value: string, text: string): string {
  const members = text.trim().slice(1, -1).trim();
  return `{${[`${JSON.stringify(name)}:${JSON.stringify(value)}`, members].filter((part) => part !== '').join(',')}}`;
}
