// A part of a profile: the samples whose label has a value. It has an id that is used like a profile's. Pure.

export interface Part {
  profile: string;
  label: string;
  value: string;
}

const PREFIX = 'part:';

/** Parses the id of a part; null if it isn't one. */
export function parsePart(id: string): Part | null {
  if (!id.startsWith(PREFIX)) return null;
  const q = new URLSearchParams(id.slice(PREFIX.length));
  return { profile: q.get('profile') ?? '', label: q.get('label') ?? '', value: q.get('value') ?? '' };
}

/** The name of a part, with the name of its profile. */
export const partName = ({ label, value }: Part, whole: string): string => `${label}=${value} · ${whole}`;
