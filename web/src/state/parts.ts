// A part of a profile is a value with an id as a profile has one: the samples whose label has a value. Pure.

export interface Part {
  profile: string;
  label: string;
  value: string;
}

const PREFIX = 'part:';

/** What an id says of its part; null if it is none. */
export function parsePart(id: string): Part | null {
  if (!id.startsWith(PREFIX)) return null;
  const q = new URLSearchParams(id.slice(PREFIX.length));
  return { profile: q.get('profile') ?? '', label: q.get('label') ?? '', value: q.get('value') ?? '' };
}

/** What a part is called, with the name of its profile. */
export const partName = ({ label, value }: Part, whole: string): string => `${label}=${value} · ${whole}`;
