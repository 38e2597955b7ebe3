import { Composer, type CST, type Document, Lexer, type LineCounter, Parser, YAMLParseError } from 'yaml';

/** What the parser keeps open at once, some for each level of nesting; the composer calls itself as deep, so this protects its stack. */
const MOST_OPEN = 200;

/** Parses one YAML document, or gives nothing when it is nested too deeply. What else is wrong stands in its errors. */
export function parseYaml(text: string, lines: LineCounter): Document.Parsed | undefined {
  const guard = { tooDeep: false };
  // Unique keys are checked with the rest of the keys: the composer's own check compares each key with all before it.
  const composer = new Composer({ uniqueKeys: false, schema: 'core', resolveKnownTags: false, logLevel: 'error' });
  let first: Document.Parsed | undefined;
  for (const document of composer.compose(tokens(text, lines, guard), true, text.length)) {
    if (first !== undefined) {
      first.errors.push(new YAMLParseError([document.range[0], document.range[1]], 'MULTIPLE_DOCS', ''));
      break;
    }
    first = document;
  }
  return guard.tooDeep ? undefined : first;
}

/** The parser's tokens until it has too much open: a file of brackets alone would otherwise fill the memory. */
function* tokens(text: string, lines: LineCounter, guard: { tooDeep: boolean }): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > MOST_OPEN) {
      guard.tooDeep = true;
      return;
    }
  }
  yield* parser.end();
}
