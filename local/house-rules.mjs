/**
 * The house's own lint rules, as a plugin for oxlint: what a file says about itself, where the clock and the dice are
 * not allowed, and how an import is written so that its floor can be read from it. `.oxlintrc.json` says where each
 * applies.
 *
 * @module
 */
import { posix } from "node:path";

/** `/^` stands for the start of a comment's text; a reason stands after `--` on the same line. */
const DISABLING = /^[\s*]*(?:oxlint|eslint)-disable/;
const DISABLING_WITH_REASON = /^[\s*]*(?:oxlint|eslint)-disable(?:-next)?(?:-line)?\s+[\w@/][^\n]*\s--\s+\S/;
const MODULE_TAG = /^\s*\*?\s*@module\b/m;
const CLOCK_AND_DICE = new Set([
  "Date.now",
  "Math.random",
  "performance.now",
  "Temporal.Now",
  "crypto.randomUUID",
  "crypto.getRandomValues",
]);

/** Each file opens with a docstring that says what lives in it. */
const moduleDocstring = {
  create: (context) => ({
    Program(program) {
      const opening = context.sourceCode.getAllComments().find(({ type }) => type !== "Shebang");
      const first = program.body[0];
      const opens = opening !== undefined && (first === undefined || opening.range[0] < first.range[0]);
      if (opens && isDocstring(opening) && MODULE_TAG.test(opening.value)) return;
      reportLine(context, 1, "Open the file with a docstring: what lives here, what it promises, then @module.");
    },
  }),
};

/** Each export has a docstring directly above its declaration. What is re-exported has it where it is declared. */
const exportDocstring = {
  create({ report, sourceCode }) {
    const check = (node, declaration) => {
      if (isDocumented(sourceCode, node) || isLaterOverload(sourceCode.ast, node, declaration)) return;
      const name = declaration.id?.name ?? declaration.declarations?.[0]?.id.name ?? "this";
      report({
        node: declaration.id ?? declaration,
        message: `Say in a docstring directly above what '${name}' promises.`,
      });
    };
    return {
      ExportNamedDeclaration(node) {
        if (node.declaration) check(node, node.declaration);
        else if (!node.source) {
          const names = new Set(node.specifiers.map(({ local }) => local.name));
          for (const statement of sourceCode.ast.body) {
            if (declaredNames(statement).some((name) => names.has(name))) check(statement, statement);
          }
        }
      },
    };
  },
};

/** The rules must be replayable: time and chance are arguments, never looked up. */
const noClockNoDice = {
  create({ report, sourceCode }) {
    const refuse = (node, what) => report({ node, message: `${what} can't be replayed: take it as an argument.` });
    const nameOf = (node) => sourceCode.getText(node).replace(/^globalThis\./, "");
    return {
      MemberExpression(node) {
        const key = node.computed ? node.property.value : node.property.name;
        const name = `${nameOf(node.object)}.${key}`;
        if (CLOCK_AND_DICE.has(name)) refuse(node, name);
      },
      VariableDeclarator({ id, init }) {
        if (id.type !== "ObjectPattern" || !init) return;
        for (const { key } of id.properties) {
          if (CLOCK_AND_DICE.has(`${nameOf(init)}.${key?.name}`)) refuse(id, `${nameOf(init)}.${key.name}`);
        }
      },
      NewExpression(node) {
        if (nameOf(node.callee) === "Date" && node.arguments.length === 0) refuse(node, "new Date()");
      },
      CallExpression(node) {
        if (nameOf(node.callee) === "Date") refuse(node, "Date()");
      },
    };
  },
};

/** Whoever switches a rule off names it and says why, on the same line. */
const disableReason = {
  create: (context) => ({
    Program() {
      for (const { value, loc } of context.sourceCode.getAllComments()) {
        if (!DISABLING.test(value) || DISABLING_WITH_REASON.test(value)) continue;
        // Reported at the top of the file, where the comment itself can't silence it.
        reportLine(
          context,
          1,
          `Line ${loc.start.line}: name the rule that is switched off and say why: "rule -- reason".`,
        );
      }
    },
  }),
};

/** The law of floors is read from the text of an import, so that text has one spelling: a plain string, no detours. */
const plainImports = {
  create({ report }) {
    const check = ({ source }) => {
      if (!source) return;
      const path = source.value;
      if (typeof path !== "string") {
        report({ node: source, message: "Name the module in a plain string, so that its floor can be read." });
      } else if (path.startsWith(".") && path !== shortest(path)) {
        report({ node: source, message: `Write the path without detours: "${shortest(path)}".` });
      }
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

/** A test takes `expect` from its context, so that what runs beside it can't be mistaken for it. */
const expectFromContext = {
  create: ({ report }) => ({
    ImportDeclaration({ source, specifiers }) {
      if (source.value !== "vitest") return;
      for (const specifier of specifiers) {
        if (specifier.type === "ImportSpecifier" && specifier.imported.name !== "expect") continue;
        report({ node: specifier, message: 'Take expect from the test context: test("…", ({ expect }) => …).' });
      }
    },
  }),
};

export default {
  meta: { name: "house" },
  rules: {
    "module-docstring": moduleDocstring,
    "export-docstring": exportDocstring,
    "no-clock-no-dice": noClockNoDice,
    "disable-reason": disableReason,
    "plain-imports": plainImports,
    "expect-from-context": expectFromContext,
  },
};

function isDocstring({ type, value }) {
  return type === "Block" && value.startsWith("*") && /\w/.test(value.replace(/@module.*/s, ""));
}

/** Only lines of other comments, such as a reasoned exception, may stand between a docstring and what it documents. */
function isDocumented(sourceCode, node) {
  const comments = sourceCode.getCommentsBefore(node);
  const last = comments.findLastIndex((comment) => comment.type === "Block");
  const docstring = comments[last];
  if (docstring === undefined || !isDocstring(docstring) || MODULE_TAG.test(docstring.value)) return false;
  return node.loc.start.line - docstring.loc.end.line <= comments.length - last;
}

function isLaterOverload({ body }, node, { id }) {
  const previous = body[body.indexOf(node) - 1];
  const overloaded = previous?.declaration ?? previous;
  return overloaded?.type === "TSDeclareFunction" && overloaded.id.name === id?.name;
}

function declaredNames(statement) {
  if (statement.type === "VariableDeclaration") return statement.declarations.map(({ id }) => id.name);
  return statement.id ? [statement.id.name] : [];
}

function shortest(path) {
  const normal = posix.normalize(path);
  return normal.startsWith("..") ? normal : `./${normal}`;
}

function reportLine(context, line, message) {
  context.report({ loc: { start: { line, column: 0 }, end: { line, column: 0 } }, message });
}
