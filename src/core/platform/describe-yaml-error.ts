import type { YAMLError } from 'yaml';

/** What the YAML parser stumbled over, in words for whoever wrote the file. */
export function describeYamlError(error: YAMLError): { what: string; remedy: string } {
  if (/end with a [\]}]/.test(error.message)) return unclosed;
  return (
    known[error.code] ?? {
      what: `This is not valid YAML: ${sentence(error.message)}`,
      remedy: 'Mend the syntax here or just above.',
    }
  );
}

const unclosed = { what: 'A bracket above is not closed.', remedy: 'Close [ with ], and { with }.' };

const known: Partial<Record<YAMLError['code'], { what: string; remedy: string }>> = {
  TAB_AS_INDENT: { what: 'A tab is used for indentation.', remedy: 'YAML wants spaces: replace each tab by two.' },
  MULTIPLE_DOCS: {
    what: 'There is a second document in this file.',
    remedy: 'Keep one document: remove the `---` and what follows, or move it to its own file.',
  },
  BAD_INDENT: { what: 'The indentation does not fit what is above.', remedy: 'Align this line with its siblings.' },
  TAG_RESOLVE_FAILED: {
    what: 'There is a YAML tag (`!…`) here, which means nothing in this file.',
    remedy: 'Remove the tag.',
  },
  BAD_ALIAS: {
    what: 'There is an alias (`*…`) here that cannot be read.',
    remedy: 'Quote the text if it should begin with `*`.',
  },
  BAD_SCALAR_START: {
    what: 'A plain text cannot begin with this character.',
    remedy: 'Put the text in quotes.',
  },
};

function sentence(message: string): string {
  const text = message.trim();
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
